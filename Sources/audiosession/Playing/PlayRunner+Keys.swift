import SessionCore

/// What a person does with a run.
extension PlayRunner {
    private static let seekSeconds = 5.0
    private static let volumeStep: Float = 0.05

    func press(_ key: Key) {
        if picker == nil || !pressInPicker(key) { pressInPlayer(key) }
    }

    private func pressInPlayer(_ key: Key) {
        switch key {
        case .character("q"), .character("Q"): leave()
        case .character(" "): pressSpace()
        case .character("d"), .character("D"):
            let outputs = outputs
            picker = DevicePicker(at: outputs.choice, in: outputs)
        case .character("u"): studio.phone?.unplugHeadphones()
        case .character("p"): studio.phone?.plugHeadphones()
        case .character("c"): toggleCall()
        case .character("x"): toggleServer()
        case .left: for lane in lanes { lane.seek(bySeconds: -Self.seekSeconds) }
        case .right: for lane in lanes { lane.seek(bySeconds: Self.seekSeconds) }
        case .up: setVolume(volume + Self.volumeStep)
        case .down: setVolume(volume - Self.volumeStep)
        case .enter, .escape, .character: break
        }
    }

    private func pressSpace() {
        if lanes.contains(where: \.isLost) {
            // Before there is a server, the picture says that one is missing.
            if studio.isServerThere { for lane in lanes { lane.playAgain() } }
        } else if lanes.contains(where: \.isPlaying) {
            for lane in lanes { lane.player?.pause() }
        } else {
            takeSound()
        }
    }

    private func toggleCall() {
        isInCall.toggle()
        if isInCall { studio.phone?.receiveCall() } else { studio.phone?.endCall() }
    }

    private func toggleServer() {
        if studio.isServerThere { studio.phone?.crashServer() } else { studio.phone?.restartServer() }
        isInCall = false
    }

    /// Where the session is interrupted, playing alone would only state a wish: the person wants the sound back.
    private func takeSound() {
        var lane: Lane?
        do throws(StudioError) {
            lane = lanes.first
            if studio.interruption != nil { try studio.activate() }
            for next in lanes where !next.isDone {
                lane = next
                try next.play()
            }
        } catch {
            show(error, of: lane)
        }
    }

    private func setVolume(_ wanted: Float) {
        volume = min(max(wanted, 0), 1)
        for lane in lanes { lane.player?.volume = volume }
    }

    // MARK: Outputs

    /// Those that the person is shown.
    var outputs: OutputFacts {
        var outputs = studio.outputs
        if !plan.canChooseOutput {
            let own = plan.items.compactMap(\.output?.uid)
            outputs.current.removeAll { !own.contains($0.uid) }
        }
        return outputs
    }

    /// False where the key is for the player below.
    private func pressInPicker(_ key: Key) -> Bool {
        switch picker?.press(key, in: outputs, canChoose: plan.canChooseOutput) ?? .passes {
        case .passes: return false
        case .stays: break
        case .closes: picker = nil
        case .chooses(let choice): choose(choice)
        }
        return true
    }

    private func choose(_ choice: OutputChoice) {
        do throws(StudioError) {
            try studio.choose(choice)
            if plan.configuration.category == .multiRoute, channelMap != nil {
                // Set by hand, it would come before the choice.
                channelMap = nil
                for lane in lanes { try lane.setChannelMap(nil) }
            }
            showChoice()
        } catch {
            show(error, of: nil)
        }
    }

    func showChoice() {
        let outputs = studio.outputs
        chosenName = outputs.current.first?.name ?? ""
        show(.deviceChosen(outputs.choice, outputs: outputs.current), time: stopwatch.seconds)
    }
}
