/// The actions of a demo with their times, and the expected result.
struct DemoScript: Hashable, Sendable {
    /// The raw values are the actions in the timeline.
    enum Action: String, Sendable {
        case play
        case unplug = "the headphones are unplugged"
        case plug = "the headphones are plugged in again"
        case callComes = "a call comes in"
        case callEnds = "the call ends"
        case otherAppStarts = "another app starts to play"
        case otherAppDies = "the other app is killed"
        case crash = "the sound server crashes"
        case restart = "the sound server restarts"
        case resume = "the user presses play"
        case end = "the user quits"

        var text: String { rawValue }
    }

    struct Step: Hashable, Sendable {
        /// Virtual seconds since the start.
        var time: Double
        var action: Action
    }

    /// What all outputs together must have played; in virtual seconds since the start.
    struct Expectation: Hashable, Sendable {
        var isSilent: Bool
        var from: Double
        var to: Double

        /// Not a single frame; the time excludes the fade (5 ms) before it.
        static func silent(from: Double, to: Double) -> Self { .init(isSilent: true, from: from, to: to) }
        static func sounding(from: Double, to: Double) -> Self { .init(isSilent: false, from: from, to: to) }
    }

    var steps: [Step]
    var expectations: [Expectation]
    /// Printed at the end if the expectations are met and the speaker played nothing.
    var conclusion: String

    /// The first action after the start of playback.
    var disturbance: Step { steps[1] }
}

extension DemoScript.Action {
    /// Below the level strips.
    var mark: String {
        switch self {
        case .play, .resume: "^ play"
        case .unplug: "^ unplug"
        case .plug: "^ plug in"
        case .callComes: "^ call"
        case .callEnds: "^ call ends"
        case .otherAppStarts: "^ other app"
        case .otherAppDies: "^ killed"
        case .crash: "^ crash"
        case .restart: "^ restart"
        case .end: "^ quit"
        }
    }
}

/// The scenes of `audiosession demo`.
enum DemoScene: String, CaseIterable, Sendable {
    case unplug, call, takeover, crash

    var script: DemoScript {
        switch self {
        case .unplug:
            DemoScript(
                steps: [
                    .init(time: 0, action: .play), .init(time: 2, action: .unplug), .init(time: 3.5, action: .plug),
                    .init(time: 5, action: .resume), .init(time: 7, action: .end),
                ],
                expectations: [.silent(from: 2.05, to: 5)],
                conclusion: "The speaker played 0 frames: playback paused when the headphones were unplugged.")
        case .call:
            DemoScript(
                steps: [
                    .init(time: 0, action: .play), .init(time: 2, action: .callComes),
                    .init(time: 4, action: .callEnds),
                    .init(time: 6, action: .end),
                ],
                expectations: [.silent(from: 2.05, to: 4), .sounding(from: 4, to: 6)],
                conclusion: "Playback was silent during the call and resumed automatically after it.")
        case .takeover:
            DemoScript(
                steps: [
                    .init(time: 0, action: .play), .init(time: 2, action: .otherAppStarts),
                    .init(time: 4, action: .otherAppDies),
                    .init(time: 5, action: .resume), .init(time: 7, action: .end),
                ],
                expectations: [.silent(from: 2.05, to: 5), .sounding(from: 5, to: 7)],
                conclusion:
                    "Playback paused for the other app. That app was killed without a notification, so playback did not resume."
            )
        case .crash:
            DemoScript(
                steps: [
                    .init(time: 0, action: .play), .init(time: 2, action: .crash), .init(time: 3, action: .restart),
                    .init(time: 5, action: .resume), .init(time: 7, action: .end),
                ],
                expectations: [.silent(from: 2.05, to: 5), .sounding(from: 5, to: 7)],
                conclusion:
                    "Nothing played without the server or automatically on the new one. A new player continued for the user."
            )
        }
    }
}
