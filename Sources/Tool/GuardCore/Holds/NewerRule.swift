internal import AudioModel

/// A program that begins to play holds the others until it ends (`--one-at-a-time`); one that pauses is still the newer one.
struct NewerRule: HoldRule {
    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest? {
        guard case .streamBegan(let newer) = event, scene.effect(of: newer) == .plays, scene.options.oneAtATime,
            book.streams[newer.id]?.isPausable(scene) == true, record.makesWay(for: newer, scene)
        else { return nil }
        return HoldRequest(reason: .newer(newer.program), cutsLinks: false)
    }

    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd? {
        guard case .newer(let program) = reason else { return nil }
        let streams = book.streams.values.filter { $0.stream.program.identity == program.identity }
        return switch event {
        case .streamEnded(let stream):
            stream.program.identity == program.identity && streams.allSatisfy { $0.activity == .ended }
                ? .released(.newerEnded) : nil
        case .optionsChanged: scene.options.oneAtATime ? nil : .released(scene.options.releaseCause)
        case .holdsInherited:
            if !scene.options.oneAtATime {
                .released(scene.options.releaseCause)
            } else {
                streams.isEmpty ? .released(.newerEnded) : nil
            }
        default: nil
        }
    }
}

extension Hold.Release {
    static let newerEnded = reasonEnded(words: "the other program ended")
}
