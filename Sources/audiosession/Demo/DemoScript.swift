/// What the demonstration does, and when.
struct DemoScript: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case play, unplug, plug, callComes, callEnds, otherAppStarts, otherAppDies, crash, restart, resume, end
    }

    struct Step: Hashable, Sendable {
        /// Virtual seconds since the start.
        var time: Double
        var action: Action
    }

    /// What the outputs together must have played; in virtual seconds since the start.
    enum Expectation: Hashable, Sendable {
        /// Not one frame; the fade (5 ms) before it is left out.
        case silent(from: Double, to: Double)
        case sounding(from: Double, to: Double)
    }

    var steps: [Step]
    var expectations: [Expectation]
    /// Said at the end when the expectations are met and the speaker played nothing.
    var promise: String

    /// What the promise is about: the first thing that happens once the music plays.
    var disturbance: Step { steps[1] }
}

extension DemoScript.Action {
    /// As a line of the timeline.
    var text: String {
        switch self {
        case .play: "play"
        case .unplug: "the headphones are unplugged"
        case .plug: "the headphones are plugged in again"
        case .callComes: "the telephone rings"
        case .callEnds: "the call ends"
        case .otherAppStarts: "another app takes the sound"
        case .otherAppDies: "the other app is killed"
        case .crash: "the sound server dies"
        case .restart: "the sound server is started again"
        case .resume: "the user presses play"
        case .end: "the user leaves"
        }
    }

    /// Under the picture.
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
        case .end: "^ leave"
        }
    }
}
