/// Holders that hold other programs.
extension GuardMachine {
    /// Ends a guard that serves only the focus, if it holds and lowers nothing.
    ///
    /// From then on it obeys no holder: WirePlumber 0.4 loses a stream if the stream's sink is removed during the move.
    ///
    /// - Returns: false if the guard is still needed.
    package mutating func retireIfUnused() -> Bool {
        guard holders.isEmpty, book.waiting.isEmpty, !book.isReturning, !ducking.isOpen else { return false }
        life = .ending
        return true
    }

    mutating func changeFocus(_ holder: FocusHolder) {
        guard !isEnding else { return }
        let old = rules.focus.holders.change(holder)
        guard old != holder else { return }
        if old != nil { tell(.focusEnded(holder.id)) }
        effects.append(.holdersChanged(holders))
        guard claims.isOwner, scene.hasSettled else { return }
        obey(holder)
    }

    mutating func endFocus(_ id: FocusHolder.ID) {
        guard let holder = rules.focus.holders.remove(id) else { return }
        effects.append(.holdersChanged(holders))
        guard claims.isOwner, scene.hasSettled else { return }
        if !id.isAlert { effects.append(.report(.focusEnded, of: holder.program)) }
        tell(.focusEnded(id))
        acknowledge()
    }

    mutating func obey(_ holder: FocusHolder) {
        // A screen reader speaks every few seconds: the log would have nothing else.
        if !holder.id.isAlert { effects.append(.report(.focusBegan(holder), of: holder.program)) }
        tell(.focusBegan(holder))
        acknowledge()
    }

    mutating func change(_ stream: CaptureStream) {
        headset.note(stream)
        rules.focus.recordings.note(stream)
        if stream.hearsMicrophone { rules.focus.recordings.begin(stream, at: now) } else { endRecording(stream.id) }
    }

    mutating func beginRecordings() {
        for recording in rules.focus.recordings.drain(at: now) { review(recording) }
    }

    /// Applies changed options to the recordings.
    mutating func reviewRecordings() {
        for recording in rules.focus.recordings.lasting { review(recording) }
        tell(.recordingsReviewed)
    }

    private mutating func review(_ recording: (id: UInt64, program: Program)) {
        let id = FocusHolder.ID.capture(stream: recording.id)
        let isCounted = scene.policy(of: recording.program).action != .leaveAlone
        let kind = isCounted ? scene.options.whileRecording : nil
        let old = holders.first { $0.id == id }?.kind
        guard kind != old else { return }
        if old != nil { endFocus(id) }
        guard let kind else { return }
        changeFocus(
            FocusHolder(id: id, kind: kind, program: recording.program, reason: "recording", since: now))
    }

    mutating func endRecording(_ id: UInt64) { if rules.focus.recordings.end(id) { endFocus(.capture(stream: id)) } }

    mutating func removeRecording(_ id: UInt64) {
        rules.focus.recordings.remove(id)
        endRecording(id)
    }

    mutating func acknowledge() {
        let serials = holders.compactMap { if case .claim(let serial) = $0.id { serial } else { nil } }
        command(.acknowledge(serials + (takeover.map { $0.isDone ? $0.claims : [] } ?? [])))
    }

    mutating func advanceFocusClaim() {
        let claim = rules.focus.holders.claim(hasFoundCall: !scene.foundCalls.isEmpty)
        guard claims.isOwner, scene.hasSettled, claim != focusClaim else { return }
        focusClaim = claim
        command(.claimFocus(focusClaim))
    }
}
