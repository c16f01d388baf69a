import CRig
import Foundation

/// Calls `body` with C copies of some strings, which live as long as the call.
func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>>) throws(RigError) -> Result
) throws(RigError) -> Result {
    let copies = strings.map { strdup($0)! }
    defer { copies.forEach { free($0) } }
    let list = UnsafeMutablePointer<UnsafePointer<CChar>>.allocate(capacity: copies.count)
    defer { list.deallocate() }
    for (index, copy) in copies.enumerated() {
        (list + index).initialize(to: UnsafePointer(copy))
    }
    return try body(list)
}

/// Calls `body` with C copies of some properties, which live as long as the call.
func withProperties<Result>(
    _ properties: [String: String], _ body: (UnsafePointer<oav_rig_property>) throws(RigError) -> Result
) throws(RigError) -> Result {
    let pairs = properties.sorted { $0.key < $1.key }
    return try withStrings(pairs.flatMap { [$0.key, $0.value] }) { strings throws(RigError) in
        let items = UnsafeMutablePointer<oav_rig_property>.allocate(capacity: pairs.count)
        defer { items.deallocate() }
        for index in pairs.indices {
            (items + index).initialize(
                to: oav_rig_property(key: strings[2 * index], value: strings[2 * index + 1]))
        }
        return try body(items)
    }
}
