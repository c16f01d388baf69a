package import SessionCore
internal import Synchronization

/// Another form of a session's trace, for the files whose names end as it says.
package protocol TraceForm: Sendable {
    /// ".scene"
    static var nameEnding: String { get }

    /// A line that readers of the form skip, with its end.
    static func comment(_ text: String) -> String

    init()

    mutating func add(_ event: SessionEvent)

    /// Nothing is added after it.
    mutating func finish()

    /// The text of what was added since the last call; all of them one after the other are the trace.
    mutating func takeText() -> String
}

/// The forms that this program has besides a trace's own; it registers them before its first session.
///
/// Any thread.
package enum TraceForms {
    private static let forms = Mutex<[String: any TraceForm.Type]>([:])

    package static func register(_ form: any TraceForm.Type) { forms.withLock { $0[form.nameEnding] = form } }

    /// - Returns: nil for a trace in its own form.
    static func form(ofFile path: String) -> (any TraceForm.Type)? {
        forms.withLock { forms in forms.first { path.hasSuffix($0.key) }?.value }
    }
}
