import AudioRuntime
import OpenAVFAudio
import SessionCore

/// Something that happened, with its time: one line of output.
struct Event: Hashable, Sendable {
    /// Seconds since the start.
    var time: Double
    var fact: Fact

    enum Fact: Hashable, Sendable {
        case started(Start)
        case routeChange(reason: RouteChangeReason, previous: RouteFacts, current: RouteFacts)
        case availableInputsChange([PortFacts])
        case interruptionBegan(reason: InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        case secondaryAudioHint(begins: Bool)
        case mediaServices(areLost: Bool)
        case player(FilePlayer.Status, file: String)
        case recorder(FileRecorder.Status, file: String)
        /// Where the sound is to go from now on, and goes.
        case deviceChosen(OutputChoice, outputs: [PortFacts])
        case channelMapReset(ChannelMapReset, file: String)
        case error(code: String, message: String, file: String?)
    }

    /// The first event: what everything after it refers to.
    struct Start: Hashable, Sendable {
        var version: String
        var host: String
        /// CLOCK_MONOTONIC at time 0, in seconds.
        var clock: Double
        var files: [String]
        var currentRoute: RouteFacts
    }
}
