internal import AudioModel

/// A call holds music and films until it pauses or ends.
struct CallRule: HoldRule {
    /// How far apart the two directions of a call begin at most.
    ///
    /// A film and a meter in two tabs, or a recorder and its preview, begin further apart (decision 98).
    static let pairSeconds = 2.0
    /// How long both directions have lasted; a beep or a short test of the microphone is no call.
    static let leastSeconds = Recordings.leastSeconds

    /// When the stream is a call by what its program does: it has no role, and its program began to record a microphone when the stream
    /// began.
    ///
    /// A program that also records what other programs play is a recorder or a mixer, and has no call.
    ///
    /// - Returns: nil if it is no such call.
    static func foundAt(_ record: StreamRecord, _ recordings: Recordings, _ scene: HoldScene) -> HostTime? {
        guard scene.options.holdsForCalls, scene.options.scope.guards, record.isArrival,
            record.stream.standing == .movable, record.policy.action != .leaveAlone,
            record.stream.role?.trimmed.isEmpty ?? true, scene.options.roles.effect(ofRole: nil) == .plays,
            let heard = record.heardSince
        else { return nil }
        let begins = recordings.begins(of: record.stream.program.identity)
        return begins.filter { abs($0.seconds(since: heard)) <= pairSeconds }
            .map { max($0, heard).advanced(bySeconds: leastSeconds) }.min()
    }

    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest? {
        guard case .streamBegan(let call) = event, scene.effect(of: call) == .interrupts,
            scene.options.holdsForCalls, scene.options.scope.guards, record.makesWay(for: call, scene)
        else { return nil }
        return HoldRequest(reason: .call(stream: call.id, name: call.program.name), cutsLinks: false)
    }

    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd? {
        guard case .call(let id, _) = reason else { return nil }
        return switch event {
        case .streamPaused(let stream), .streamEnded(let stream): stream.id == id ? .released(.callEnded) : nil
        case .optionsChanged: scene.options.holdsForCalls ? nil : .released(scene.options.releaseCause)
        case .holdsInherited:
            if !scene.options.holdsForCalls {
                .released(scene.options.releaseCause)
            } else {
                book.streams[id]?.stream.isRunning == true ? nil : .released(.callEnded)
            }
        default: nil
        }
    }
}

extension Hold.Release {
    static let callEnded = reasonEnded(words: "the call is over")
}
