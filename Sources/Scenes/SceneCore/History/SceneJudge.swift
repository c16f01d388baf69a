/// Compares a history with what its scene expects.
struct SceneJudge {
    let scene: AudioScene
    let duration: AudioScene.Time
    let entries: [SceneHistory.Entry]
    let sounds: [OutputSound]

    private typealias Time = AudioScene.Time
    /// Above this, an output is heard; in dBFS.
    private static let audibleDecibels = -60.0

    var failures: [SceneHistory.Failure] {
        var anchor = Time.zero
        return scene.lines.compactMap { line in
            switch line.statement {
            case .event(let time, _):
                anchor = time
                return nil
            case .expectation(let expectation):
                return fault(of: expectation, after: anchor).map {
                    SceneHistory.Failure(line: line.number, expectation: expectation.text, message: $0)
                }
            }
        }
    }

    /// What was the case instead; nil where the expectation is met.
    private func fault(of expectation: AudioScene.Expectation, after anchor: AudioScene.Time) -> String? {
        let (start, end): (Time, Time) =
            switch expectation.window {
            case .within(let length): (anchor, anchor + length)
            case .during(let start, let end): (start, end)
            case .scene: (anchor, duration)
            }
        let isDuring = if case .during = expectation.window { true } else { false }
        // Lines that follow an "end" in the middle of a scene.
        guard start <= duration, start <= end else { return "the scene ended at \(duration.spelling)" }
        switch expectation.fact {
        case .player(let state):
            return stateFault(
                "the player was", state.rawValue, states(ofRecorders: false).map { ($0, $1.rawValue) }, start, end,
                isDuring)
        case .recorder(let state):
            return stateFault(
                "the recorder was", state.ofRecorder, states(ofRecorders: true).map { ($0, $1.ofRecorder) }, start, end,
                isDuring)
        case .session(let state):
            return stateFault(
                "the session was", state.rawValue, sessionStates.map { ($0, $1.rawValue) }, start, end, isDuring)
        case .route(let output):
            return routeFault(output, start, end, isDuring)
        case .silent(let output, let channel):
            guard let (sound, time) = firstSound(output, channel, start, min(end, duration)) else { return nil }
            return "\(sound.name) played from \(time.spelling)"
        case .heard(let output, let channel):
            return heardFault(output, channel, start, end, isDuring)
        case .level(let output, let isAbove, let decibels):
            guard let sound = sounds.first(where: { $0.name == output }) else { return "it was not there" }
            let level = sound.decibels(from: start, to: end)
            if isAbove ? level > Double(decibels) : level < Double(decibels) { return nil }
            return level.isFinite ? "its level was \((level * 10).rounded() / 10) dBFS" : "it was silent"
        case .noClick(let output):
            for sound in sounds where output == nil || sound.name == output {
                let click = sound.clicks.map(sound.time(ofFrame:)).first { $0 >= start && $0 <= end }
                if let click { return "\(sound.name) began or ended without a fade at \(click.spelling)" }
            }
            return nil
        case .positionContinues(let output): return positionFault(output, start, min(end, duration))
        case .interruptionBegins, .interruptionEnds, .routeChange, .mediaServicesLost, .mediaServicesReset:
            let found = entries.contains { (start...end).contains($0.time) && expectation.fact.isMet(by: $0.what) }
            return found ? nil : "it did not come" + others(from: start, to: end)
        case .noInterruption, .noInterruptionEnd, .noRouteChange, .noMediaServicesReset:
            let found = entries.first { (start...end).contains($0.time) && expectation.fact.isMet(by: $0.what) }
            return found.map { "at \($0.time.spelling): \($0.what.words)" }
        }
    }

    /// What came instead of a notice.
    private func others(from start: AudioScene.Time, to end: AudioScene.Time) -> String {
        let notices = entries.filter { (start...end).contains($0.time) }.compactMap(\.what.notice)
        return notices.isEmpty
            ? "; the app was told nothing then" : "; the app was told: \(notices.joined(separator: ", "))"
    }

    // MARK: States

    /// A state and since when it is; the first is since the beginning.
    private func states(ofRecorders wanted: Bool) -> [(Time, AudioScene.PlayerState)] {
        var players: [Int: AudioScene.PlayerState] = [:]
        var states: [(Time, AudioScene.PlayerState)] = [(.zero, .paused)]
        for entry in entries {
            guard case .player(let number, wanted, let state, _) = entry.what else { continue }
            players[number] = state
            let all = players.values
            let sum: AudioScene.PlayerState =
                all.contains(.playing) ? .playing : all.contains(.waiting) ? .waiting : .paused
            states.append((entry.time, sum))
        }
        return states
    }

    private var sessionStates: [(Time, AudioScene.SessionState)] {
        [(.zero, .inactive)]
            + entries.compactMap { entry in
                if case .session(let state) = entry.what { (entry.time, state) } else { nil }
            }
    }

    /// - Parameter isThroughout: it must hold all the time, not once.
    private func stateFault(
        _ subject: String, _ wanted: String, _ states: [(Time, String)], _ start: AudioScene.Time,
        _ end: AudioScene.Time,
        _ isThroughout: Bool
    ) -> String? {
        // Of several changes at one time the last one counts at the start.
        let first = states.lastIndex { $0.0 <= start } ?? 0
        let seen = states[first...].prefix { $0.0 <= end }
        if isThroughout {
            let other = seen.first { $0.1 != wanted && ($0.0 < end || seen.count == 1) }
            return other.map { "\(subject) \($0.1) at \(max($0.0, start).spelling)" }
        }
        if seen.contains(where: { $0.1 == wanted }) { return nil }
        return "\(subject) \(seen.map { "\($0.1) from \(max($0.0, start).spelling)" }.joined(separator: ", "))"
    }

    private func routeFault(
        _ output: String, _ start: AudioScene.Time, _ end: AudioScene.Time, _ isThroughout: Bool
    ) -> String? {
        let routes = entries.compactMap { entry -> (Time, [String])? in
            switch entry.what {
            case .startRoute(let route): (.zero, route.outputs)
            case .routeChange(_, _, let route): (entry.time, route.outputs)
            default: nil
            }
        }
        let first = routes.lastIndex { $0.0 <= start } ?? 0
        let seen = routes.dropFirst(first).prefix { $0.0 <= end }
        let isMet =
            isThroughout ? seen.allSatisfy { $0.1.contains(output) } : seen.contains { $0.1.contains(output) }
        if isMet, !seen.isEmpty { return nil }
        let names = seen.map { $0.1.isEmpty ? "no output" : $0.1.joined(separator: " + ") }
        return "the route was \(names.joined(separator: ", then "))"
    }

    // MARK: Sound

    private func firstSound(
        _ output: String?, _ channel: Int?, _ start: AudioScene.Time, _ end: AudioScene.Time
    ) -> (OutputSound, AudioScene.Time)? {
        sounds.filter { output == nil || $0.name == output }
            .compactMap { sound in sound.firstSound(from: start, to: end, channel: channel).map { (sound, $0) } }
            .min { $0.1 < $1.1 }
    }

    private func heardFault(
        _ output: String?, _ channel: Int?, _ start: AudioScene.Time, _ end: AudioScene.Time, _ isThroughout: Bool
    ) -> String? {
        guard firstSound(output, channel, start, min(end, duration)) != nil else { return "it was silent" }
        let candidates = sounds.filter { output == nil || $0.name == output }
        guard isThroughout, channel == nil else { return nil }
        let loudest = candidates.map { $0.decibels(from: start, to: end) }.max() ?? -.infinity
        return loudest > Self.audibleDecibels ? nil : "its level was below -60 dBFS"
    }
}

extension SceneJudge {
    /// A fade out and in plays a part twice, or not at all.
    private static let positionTolerance = AudioScene.Time(microseconds: 50_000)

    private func positionFault(_ output: String?, _ start: AudioScene.Time, _ end: AudioScene.Time) -> String? {
        guard firstSound(output, nil, start, end) != nil else { return "it was silent" }
        let all = sounds.filter { output == nil || $0.name == output }.flatMap { sound in
            (sound.positions?.stretches ?? []).map { (sound: sound, stretch: $0) }
        }.sorted { $0.stretch.frames.lowerBound < $1.stretch.frames.lowerBound }
        guard let original = sounds.lazy.compactMap(\.positions).first?.original else {
            return "what the app plays is not known; name one file, or give it to perform(playing:)"
        }
        for (index, (sound, stretch)) in all.enumerated() {
            let time = sound.time(ofFrame: stretch.frames.lowerBound)
            let before = all[..<index].max { $0.stretch.frames.upperBound < $1.stretch.frames.upperBound }
            guard (start...end).contains(time), let before else { continue }
            guard let place = stretch.begin, let next = before.stretch.end else {
                return "\(sound.name) played something else at \(time.spelling)"
            }
            let step = original.distance(from: next, to: place)
            // A silence of the sound itself takes its time.
            let pause = stretch.frames.lowerBound - before.stretch.frames.upperBound
            let error = min(abs(step), abs(original.distance(from: next + pause, to: place)))
            guard error > Self.positionTolerance.frame(atRate: sound.rate) else { continue }
            let (found, wanted) = (
                sound.time(ofFrame: max(0, place)), sound.time(ofFrame: next % original.samples.count)
            )
            return
                "\(sound.name) went on at \(found.spelling) of the sound, and \(wanted.spelling) was next, at \(time.spelling)"
        }
        return nil
    }
}

extension AudioScene.Fact {
    /// For the facts about notices.
    fileprivate func isMet(by what: SceneHistory.What) -> Bool {
        switch (self, what) {
        case (.interruptionBegins, .interruptionBegins), (.noInterruption, .interruptionBegins): true
        case (.interruptionEnds(let wanted), .interruptionEnds(let mayResume)): wanted ?? mayResume == mayResume
        case (.noInterruptionEnd, .interruptionEnds): true
        case (.routeChange(let wanted), .routeChange(let reason, _, _)),
            (.noRouteChange(let wanted), .routeChange(let reason, _, _)):
            wanted ?? reason == reason
        case (.mediaServicesLost, .mediaServicesLost): true
        case (.mediaServicesReset, .mediaServicesReset), (.noMediaServicesReset, .mediaServicesReset): true
        default: false
        }
    }
}
