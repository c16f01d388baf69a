internal import AudioModel
internal import HostInterface
internal import SessionCore

// Session thread.
extension SessionRuntime {
    /// - Parameter wasActive: the session was active before the event that led to the effect.
    func carryOut(_ effect: SessionEffect, wasActive: Bool, _ context: inout SessionThread) {
        switch effect {
        case .reply(let call, let error):
            answer(call, error)
        case .claim(let id, let configuration):
            host.claim(SessionClaim(id: id, configuration: configuration))
        case .suspendClaim(let id):
            host.suspend(id)
        case .release(let id, let notifyOthers):
            host.release(id, notifyingOthers: notifyOthers)
        case .allowSleep:
            host.allowSleep()
        case .wake(let time):
            host.wake(at: time)
        case .linkStream(let id, let ports):
            guard let entry = context.streams[id] else { return }
            entry.owner.willLink(to: ports)
            do throws(HostError) {
                try entry.stream.link(to: ports.map(\.uid))
            } catch {
                linkFailed(id, error)
            }
        case .unlinkStream(let id):
            context.streams[id]?.stream.unlink()
        case .startPlayer(let id):
            context.streams[id]?.owner.start()
        case .pausePlayer(let id, let cause):
            context.streams[id]?.owner.pause(cause)
        case .suppressPlayer(let id, let suppression):
            context.streams[id]?.owner.suppress(suppression)
        case .setGain(let id, let gain):
            context.streams[id]?.owner.setGain(gain)
        case .preferCycle(let seconds):
            for entry in context.streams.values { entry.stream.preferCycle(seconds: seconds) }
        case .setPortVolume(let call, let uid, let volume):
            do throws(HostError) {
                try host.setVolume(volume, ofPort: uid)
                answer(call, nil)
            } catch {
                answer(call, SessionError(error))
            }
        case .failPlayer(let id, let error):
            context.streams[id]?.owner.fail(error)
        case .postRouteChange(let change): notices.post(.routeChanged(change))
        case .postAvailableInputsChange: notices.post(.availableInputsChanged)
        case .postInterruptionBegan(let reason): notices.post(.interruptionBegan(reason))
        case .postInterruptionEnded(let shouldResume): notices.post(.interruptionEnded(shouldResume: shouldResume))
        case .postBecameActive: notices.post(.becameActive)
        case .postBecameInactive: notices.post(.becameInactive)
        case .postResumptionRecommendation: notices.post(.resumptionRecommended)
        case .postSilenceSecondaryAudioHint(let begins): notices.post(.secondaryAudioHint(begins: begins))
        case .postOutputMuteChange(let isMuted): notices.post(.outputMuteChanged(isMuted))
        case .postUserIntentToUnmute: notices.post(.userIntendsToUnmute)
        case .postInputMuteChange(let isMuted): notices.post(.inputMuteChanged(isMuted))
        case .postMediaServicesLost: notices.post(.mediaServicesLost(endedActivation: wasActive))
        case .postMediaServicesReset: notices.post(.mediaServicesReset)
        }
    }

    /// A port that left between the decision and the link is no fault: its inventory event is on the way.
    ///
    /// Any other failure ends the stream for the session too, or the next inventory would have it linked again.
    private func linkFailed(_ id: StreamID, _ error: HostError) {
        switch error {
        case .noSuchPort, .connectionLost: break
        case .refused, .unreachable: mailbox.put(.fact(.host(.streamFailed(id, error))))
        }
    }

    /// Calls outside of the lock: the one who asked may ask again at once.
    func answer(_ call: CallID, _ error: SessionError?) {
        replies.withLock { $0.waiting.removeValue(forKey: call) }?(error)
    }
}
