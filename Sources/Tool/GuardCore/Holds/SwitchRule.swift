internal import AudioModel

/// Streams are held while the card of their sink is switched to another port for a moment.
struct SwitchRule: HoldRule {
    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest? {
        guard case .sinkEmptied(let sink, let duckOutput) = event, record.hold == nil, record.stream.isRunning,
            record.stream.sink(duckOutput: duckOutput) == sink, record.isHoldable(scene)
        else { return nil }
        return HoldRequest(reason: .switched(sink: sink), cutsLinks: true)
    }

    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd? {
        guard case .sinkFilled(let sink, let lost) = event, reason == .switched(sink: sink) else { return nil }
        return lost.map { .replaced(.lost(uid: $0.uid, name: $0.name)) } ?? .released(.outputIsReady)
    }
}

extension Hold.Release {
    /// The stream's card has been switched to another port and back.
    static let outputIsReady = reasonEnded(words: "its card is switched back")
}
