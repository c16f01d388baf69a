package import AudioModel
package import HostSimulated

/// Programs without a session: the machine's telephone, its alarm clock, another player. Any thread.
///
/// They have a role and a name, but they reach no port: captures hold what the apps play.
extension SimulatedHost {
    /// The streams that run now, in the order of their start.
    package var foreignStreams: [ForeignStream] { state.withLock { $0.foreignStreams } }

    /// A program begins to play; it goes on until `stopForeignStream`, or until the server crashes.
    ///
    /// - Parameters:
    ///   - role: the stream's `media.role`, such as "Music"; nil for a program that names none.
    ///   - name: the program's name.
    ///   - isSilent: it is muted, or its volume is 0.
    /// - Returns: what names the stream; never used again on this machine.
    @discardableResult
    package func startForeignStream(role: String? = nil, name: String = "", isSilent: Bool = false) -> UInt64 {
        change { state in state.startForeignStream(role: role, name: name, isSilent: isSilent) }
    }

    package func stopForeignStream(_ id: UInt64) {
        change { state in
            guard state.foreignStreams.contains(where: { $0.id == id }) else {
                state.object("script: foreign stream \(id) was stopped, but it does not run")
                return
            }
            state.stopForeignStream(id)
        }
    }

    /// A guard holds the stream, or lets it go on.
    package func setForeignStreamHeld(_ isHeld: Bool, _ id: UInt64) {
        changeForeignStream(id, "held or released") { $0.isHeld = isHeld }
    }

    /// A person mutes the stream in a mixer, or lets it be heard.
    package func setForeignStreamSilent(_ isSilent: Bool, _ id: UInt64) {
        changeForeignStream(id, "muted or unmuted") { $0.isSilent = isSilent }
    }

    private func changeForeignStream(_ id: UInt64, _ what: String, _ body: (inout ForeignStream) -> Void) {
        change { state in
            guard let index = state.foreignStreams.firstIndex(where: { $0.id == id }) else {
                state.object("script: foreign stream \(id) was \(what), but it does not run")
                return
            }
            let before = state.foreignStreams[index]
            body(&state.foreignStreams[index])
            guard state.foreignStreams[index] != before else { return }
            state.tellAll(.foreignStreamsChanged(state.foreignStreams))
        }
    }

    /// The telephone rings: a foreign stream of role Phone, until `endCall`.
    package func receiveCall() {
        change { state in
            guard state.callID == nil else {
                state.object("script: a call begins during a call; end that one first")
                return
            }
            state.callID = state.startForeignStream(role: "Phone", name: "Phone")
        }
    }

    package var isInCall: Bool { state.withLock { $0.callID != nil } }

    package func endCall() {
        change { state in
            guard let id = state.callID else {
                state.object("script: a call ends, but none is on")
                return
            }
            state.stopForeignStream(id)
        }
    }

    /// A short sound of a program, which ends by itself as virtual time passes.
    ///
    /// - Parameters:
    ///   - role: "Notification", "Alarm" or "Accessibility", say.
    ///   - seconds: of virtual time.
    package func playForeignSound(role: String = "Notification", name: String = "", seconds: Double = 1) {
        let id = startForeignStream(role: role, name: name)
        // Not `stopForeignStream`: a crash may have ended it before.
        schedule(Scenario().at(seconds) { host in host.change { $0.stopForeignStream(id) } })
    }
}

extension MachineState {
    fileprivate mutating func startForeignStream(role: String?, name: String, isSilent: Bool = false) -> UInt64 {
        lastForeignID += 1
        guard serverIsUp else {
            object("script: a program plays while the server is down; let the server return first")
            return lastForeignID
        }
        foreignStreams.append(ForeignStream(id: lastForeignID, role: role, name: name, isSilent: isSilent))
        note(.foreignStreamStarted(lastForeignID, role))
        tellAll(.foreignStreamsChanged(foreignStreams))
        return lastForeignID
    }

    /// Does nothing where the stream does not run.
    fileprivate mutating func stopForeignStream(_ id: UInt64) {
        guard foreignStreams.contains(where: { $0.id == id }) else { return }
        foreignStreams.removeAll { $0.id == id }
        if callID == id { callID = nil }
        note(.foreignStreamStopped(id))
        tellAll(.foreignStreamsChanged(foreignStreams))
    }
}
