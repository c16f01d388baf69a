internal import AudioModel

/// Holders that hold other programs.
extension GuardMachine {
    /// Ends a guard that serves only the focus, if it holds and lowers nothing.
    ///
    /// From then on it obeys no holder: WirePlumber 0.4 loses a stream if the stream's sink is removed during the move.
    ///
    /// - Returns: false if the guard is still needed.
    package mutating func retireIfUnused() -> Bool {
        guard focus.all.isEmpty, waiting.isEmpty, !ducking.isOpen else { return false }
        life = .ending
        return true
    }

    mutating func changeFocus(_ holder: FocusHolder) {
        guard !isEnding else { return }
        let old = focus.change(holder)
        guard old != holder else { return }
        if old != nil { dropFocus(holder.id) }
        effects.append(.holdersChanged(focus.all))
        guard claims.isOwner, hasSettled else { return }
        obey(holder)
    }

    mutating func endFocus(_ id: FocusHolder.ID) {
        guard let holder = focus.remove(id) else { return }
        effects.append(.holdersChanged(focus.all))
        guard claims.isOwner, hasSettled else { return }
        report(.focusEnded, holder.program)
        dropFocus(id)
        acknowledge()
    }

    /// Holds the streams that sound now; a stream that begins later has its user's attention, like a newer session.
    mutating func obey(_ holder: FocusHolder) {
        report(.focusBegan(holder), holder.program)
        let reason = Hold.Reason.focus(holder.id, name: holder.program.name, reason: holder.reason)
        for id in orderedIDs {
            guard let record = streams[id], holds(holder, record.stream) else { continue }
            if record.hold != nil {
                add(reason, to: id)
            } else if record.stream.isRunning, isPausable(record.stream) {
                hold(id, because: reason, cutsLinks: true)
            }
        }
        acknowledge()
    }

    mutating func change(_ stream: CaptureStream) {
        if stream.hearsMicrophone { recordings.begin(stream, at: now) } else { endRecording(stream.id) }
    }

    mutating func beginRecordings() {
        for recording in recordings.drain(at: now) { review(recording) }
    }

    /// Applies changed options to the recordings.
    mutating func reviewRecordings() {
        for recording in recordings.lasting { review(recording) }
        for (stream, hold) in waiting where streams[stream.id]?.policy.whileRecording == .never {
            for reason in hold.reasons where reason.isRecording { drop(reason, of: stream.id, .configured) }
        }
    }

    private mutating func review(_ recording: (id: UInt64, program: Program)) {
        let id = FocusHolder.ID.capture(stream: recording.id)
        let isCounted = policy(of: recording.program).action != .leaveAlone
        let kind = isCounted ? options.whileRecording : nil
        let old = focus.all.first { $0.id == id }?.kind
        guard kind != old else { return }
        if old != nil { endFocus(id) }
        guard let kind else { return }
        changeFocus(
            FocusHolder(id: id, kind: kind, program: recording.program, reason: "recording", since: now))
    }

    mutating func endRecording(_ id: UInt64) { if recordings.end(id) { endFocus(.capture(stream: id)) } }

    func holds(_ holder: FocusHolder, _ stream: ProgramStream) -> Bool {
        if holder.id.isRecording, streams[stream.id]?.policy.whileRecording == .never { return false }
        return switch holder.kind {
        case .duck: false
        case .pause: yields(stream) && holder.concerns(stream.program)
        case .pauseSpeech: yields(stream) && holder.concerns(stream.program) && options.speaks(stream)
        }
    }

    /// Whether the stream may be held or lowered for the focus: music, films and games, but no calls and no alerts.
    func yields(_ stream: ProgramStream) -> Bool {
        switch options.roles.effect(ofRole: stream.role) {
        case .plays, .mixes: true
        case .interrupts, .ducks, .ignored: false
        }
    }

    private mutating func dropFocus(_ id: FocusHolder.ID) {
        for (stream, hold) in waiting {
            for case .focus(id, let name, let text) in hold.reasons {
                drop(.focus(id, name: name, reason: text), of: stream.id, .focusEnded)
            }
        }
    }

    mutating func acknowledge() {
        let serials = focus.all.compactMap { if case .claim(let serial) = $0.id { serial } else { nil } }
        command(.acknowledge(serials + (takeover.map { $0.isDone ? $0.claims : [] } ?? [])))
    }

    mutating func advanceFocusClaim() {
        guard claims.isOwner, hasSettled, focus.claim != focusClaim else { return }
        focusClaim = focus.claim
        command(.claimFocus(focusClaim))
    }
}
