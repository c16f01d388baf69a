package import AudioModel
public import Foundation

/// A snapshot of the ports that a session uses.
///
/// Two routes are equal if they have equal ports in the same order. Apple compares identities. Here every access
/// creates a new object, so only the contents can be compared.
///
/// `@unchecked Sendable`: constants only; a subclass (a test double) must not add mutable state.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 18.0).
open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    private let inputPorts: [AVAudioSessionPortDescription]
    private let outputPorts: [AVAudioSessionPortDescription]

    /// A route without ports, for test doubles that override the getters.
    public override init() {
        inputPorts = []
        outputPorts = []
        super.init()
    }

    package init(_ route: Route) {
        inputPorts = route.inputs.map(AVAudioSessionPortDescription.init)
        outputPorts = route.outputs.map(AVAudioSessionPortDescription.init)
        super.init()
    }

    /// The input in use; none without one, and in a category that does not record.
    open var inputs: [AVAudioSessionPortDescription] { inputPorts }

    /// In order; with several outputs, the order determines the numbers of their channels.
    open var outputs: [AVAudioSessionPortDescription] { outputPorts }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionRouteDescription else { return false }
        return inputs == other.inputs && outputs == other.outputs
    }

    open override var hash: Int { combinedHash(inputs, outputs) }

    open override var description: String {
        func list(_ ports: [AVAudioSessionPortDescription]) -> String {
            ports.isEmpty
                ? "(null)" : "(\n" + ports.map { "    \"\($0.description)\"" }.joined(separator: ",\n") + "\n)"
        }
        return "<AVAudioSessionRouteDescription: \(address(of: self)), \ninputs = \(list(inputs)); "
            + "\noutputs = \(list(outputs))>"
    }
}

/// As Apple's descriptions print it: 0x and the address in hexadecimal.
func address(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
}

package func combinedHash<each Value: Hashable>(_ values: repeat each Value) -> Int {
    var hasher = Hasher()
    repeat hasher.combine(each values)
    return hasher.finalize()
}
