/// What the demonstration does, and when.
struct DemoScript: Hashable, Sendable {
    enum Action: Hashable, Sendable { case play, unplug, plug, resume, end }

    struct Step: Hashable, Sendable {
        /// Virtual seconds since the start.
        var time: Double
        var action: Action
    }

    var steps: [Step]

    static let headphonesLeave = DemoScript(steps: [
        Step(time: 0, action: .play), Step(time: 2, action: .unplug), Step(time: 3.5, action: .plug),
        Step(time: 5, action: .resume), Step(time: 7, action: .end),
    ])
}

extension DemoScript.Action {
    /// As a line of the timeline.
    var text: String {
        switch self {
        case .play: "play"
        case .unplug: "the headphones are unplugged"
        case .plug: "the headphones are plugged in again"
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
        case .end: "^ leave"
        }
    }
}
