/// What the demonstration can show.
enum DemoScene: String, CaseIterable, Sendable {
    case headphones, call, takeover, crash

    var script: DemoScript {
        switch self {
        case .headphones: .headphonesLeave
        case .call: .callComes
        case .takeover: .otherAppTakesOver
        case .crash: .serverCrashes
        }
    }
}

extension DemoScript {
    static let headphonesLeave = DemoScript(
        steps: [
            Step(time: 0, action: .play), Step(time: 2, action: .unplug), Step(time: 3.5, action: .plug),
            Step(time: 5, action: .resume), Step(time: 7, action: .end),
        ],
        expectations: [.silent(from: 2.05, to: 5)],
        promise: "The speaker played 0 frames of it: the music stopped when the headphones went away.")

    static let callComes = DemoScript(
        steps: [
            Step(time: 0, action: .play), Step(time: 2, action: .callComes), Step(time: 4, action: .callEnds),
            Step(time: 6, action: .end),
        ],
        expectations: [.silent(from: 2.05, to: 4), .sounding(from: 4, to: 6)],
        promise: "The music was silent while the call was on, and went on by itself.")

    static let otherAppTakesOver = DemoScript(
        steps: [
            Step(time: 0, action: .play), Step(time: 2, action: .otherAppStarts), Step(time: 4, action: .otherAppDies),
            Step(time: 5, action: .resume), Step(time: 7, action: .end),
        ],
        expectations: [.silent(from: 2.05, to: 5), .sounding(from: 5, to: 7)],
        promise: "The music made way for the other app; as that did not hand the sound back, it waited for the user.")

    static let serverCrashes = DemoScript(
        steps: [
            Step(time: 0, action: .play), Step(time: 2, action: .crash), Step(time: 3, action: .restart),
            Step(time: 5, action: .resume), Step(time: 7, action: .end),
        ],
        expectations: [.silent(from: 2.05, to: 5), .sounding(from: 5, to: 7)],
        promise: "Nothing sounded without the server, nor by itself on the new one; a new player went on.")
}
