internal import AudioModel

/// A focus holder holds the streams that sound when it comes, until it leaves.
///
/// A stream that begins later has its user's attention, like a newer session.
struct FocusRule: HoldRule {
    var holders = FocusHolders()
    var recordings = Recordings()

    /// Forgets the server, which is gone.
    mutating func reset() {
        holders.removeServers()
        recordings = Recordings()
    }

    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest? {
        guard case .focusBegan(let holder) = event, holds(holder, record, scene),
            record.hold != nil || record.isPlaying && record.isPausable(scene)
        else { return nil }
        return HoldRequest(
            reason: .focus(holder.id, name: holder.program.name, reason: holder.reason), cutsLinks: true)
    }

    private func holds(_ holder: FocusHolder, _ record: StreamRecord, _ scene: HoldScene) -> Bool {
        let stream = record.stream
        if holder.id.isRecording, record.policy.whileRecording == .never { return false }
        return switch holder.kind {
        case .duck: false
        case .pause: yields(stream, scene) && holder.concerns(stream.program)
        case .pauseSpeech: yields(stream, scene) && holder.concerns(stream.program) && scene.options.speaks(stream)
        }
    }

    /// Whether the stream may be held or lowered for the focus: music, films and games, but no calls and no alerts.
    func yields(_ stream: ProgramStream, _ scene: HoldScene) -> Bool {
        switch scene.effect(of: stream) {
        case .plays, .mixes: true
        case .interrupts, .ducks, .ignored: false
        }
    }

    func lowers(_ record: StreamRecord) -> Bool {
        holders.lowers(record.stream.program, forRecordings: record.policy.whileRecording == .yield)
    }

    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd? {
        guard case .focus(let id, _, _) = reason else { return nil }
        return switch event {
        case .focusEnded(id): .released(.focusEnded)
        case .recordingsReviewed:
            id.isRecording && record.policy.whileRecording == .never ? .released(.configured) : nil
        case .holdsInherited: holders.all.contains { $0.id == id } ? nil : .released(.focusEnded)
        default: nil
        }
    }
}

extension Hold.Release {
    static let focusEnded = reasonEnded(words: "no program asks for silence any more")
}
