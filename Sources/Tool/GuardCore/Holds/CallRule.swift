internal import AudioModel

/// A call holds music and films until it pauses or ends.
struct CallRule: HoldRule {
    func nature(of reason: Hold.Reason) -> Hold.Reason.Nature { .lasting }

    func words(for reason: Hold.Reason) -> String {
        if case .call(_, let name) = reason { "\(name.printable) began a call" } else { "" }
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
