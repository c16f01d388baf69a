import CRig
import Foundation

/// Calls `body` with C copies of some strings, which live as long as the call.
func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>>) throws(RigError) -> Result
) throws(RigError) -> Result {
    try withBytes(strings.map { Array($0.utf8) }, body)
}

/// Calls `body` with C copies of some properties and their number; they live as long as the call.
///
/// - Parameter bytes: values that need be no UTF-8; these win over the others.
func withProperties<Result>(
    _ properties: [String: String], bytes: [String: [UInt8]] = [:],
    _ body: (UnsafePointer<oav_rig_property>, Int) throws(RigError) -> Result
) throws(RigError) -> Result {
    let pairs = properties.mapValues { Array($0.utf8) }.merging(bytes) { $1 }.sorted { $0.key < $1.key }
    return try withBytes(pairs.flatMap { [Array($0.key.utf8), $0.value] }) { strings throws(RigError) in
        let items = UnsafeMutablePointer<oav_rig_property>.allocate(capacity: pairs.count)
        defer { items.deallocate() }
        for index in pairs.indices {
            (items + index).initialize(
                to: oav_rig_property(key: strings[2 * index], value: strings[2 * index + 1]))
        }
        return try body(items, pairs.count)
    }
}

private func withBytes<Result>(
    _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>>) throws(RigError) -> Result
) throws(RigError) -> Result {
    let copies = texts.map { strdup(($0 + [0]).map { CChar(bitPattern: $0) })! }
    defer { copies.forEach { free($0) } }
    let list = UnsafeMutablePointer<UnsafePointer<CChar>>.allocate(capacity: copies.count)
    defer { list.deallocate() }
    for (index, copy) in copies.enumerated() {
        (list + index).initialize(to: UnsafePointer(copy))
    }
    return try body(list)
}
