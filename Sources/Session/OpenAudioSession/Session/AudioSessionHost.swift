public import Foundation

/// The sound server that ``AVAudioSession/sharedInstance()`` uses.
///
/// Not in Apple's API, where there is only one.
///
/// Without a call of ``select(_:)``, the environment variable `AUDIOSESSION_HOST` selects it: `pipewire`, `simulated`
/// or `auto`, the default.
///
/// Source: ours.
public enum AudioSessionHost: String, Hashable, Sendable, CaseIterable {
    /// PipeWire if a server answers, otherwise the simulated host. The choice is reported once on the standard error.
    case automatic = "auto"
    /// PipeWire only.
    case pipeWire = "pipewire"
    /// A phone that exists in this process only, in real time; there is no audible output.
    ///
    /// Tests that control the time and the devices use the `AudioSimulator` of OpenAVFAudioTestKit instead.
    case simulated

    /// Connects the program's session to a host now and ignores the environment.
    ///
    /// Any thread.
    ///
    /// Call it before the first ``AVAudioSession/sharedInstance()``.
    ///
    /// - Throws: ``AudioSessionHostError``: `sessionExists` if the session exists already, `unavailable` if the host is
    ///   not available. Then nothing has changed, and another host may be selected.
    public static func select(_ host: AudioSessionHost) throws {
        try SharedSession.ofProgram.select(host)
    }
}

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

    /// What failed: the session exists, or the host is not available.
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
