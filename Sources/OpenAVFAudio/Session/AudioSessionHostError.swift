public import Foundation

/// The reason why ``AudioSessionHost/select(_:)`` failed.
///
/// Source: ours.
public struct AudioSessionHostError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// Open: a later version may add codes.
    public struct Code: Hashable, Sendable {
        let name: String

        /// The session exists already, with the host that the message names.
        public static let sessionExists = Code(name: "sessionExists")
        /// The host is not available; the message describes the attempt.
        public static let unavailable = Code(name: "unavailable")
    }

    public let code: Code
    /// The error and the next step.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
    public var errorDescription: String? { message }
}
