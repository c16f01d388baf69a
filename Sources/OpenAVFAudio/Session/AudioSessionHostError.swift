public import Foundation

/// Why ``AudioSessionHost/select(_:)`` failed.
///
/// Source: ours.
public struct AudioSessionHostError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// Open: a later version may know more codes.
    public struct Code: Hashable, Sendable {
        let name: String

        /// The session has been made already, with the host that the message names.
        public static let sessionExists = Code(name: "sessionExists")
        /// The host cannot be had; the message says what was tried.
        public static let unavailable = Code(name: "unavailable")
    }

    public let code: Code
    /// What happened and what to do next.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
    public var errorDescription: String? { message }
}
