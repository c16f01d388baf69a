import AudioFiles
import AudioModel
import AudioRuntime
import Foundation
internal import OpenAudioSession
import SessionCore
import SessionRuntime
import Synchronization

/// The utterances of a synthesizer: makes their sound ahead, has one player play it, and reports events and words.
///
/// One player plays while there is something to say. So an unplug between two utterances pauses speech, too.
/// Any thread except the session thread. Work that waits for the engine or for a stream runs on another thread
/// (`SessionRuntime.runElsewhere`).
final class SpeechQueue: Sendable {
    enum Event: Sendable {
        case started, finished, paused, continued, cancelled
        case word(NSRange)
    }

    /// Work to do after the lock is released.
    private typealias Act = @Sendable () -> Void

    private let engine: any SpeechEngine
    /// Called on the main thread.
    private let onEvent: @MainActor @Sendable (Event, AVSpeechUtterance) -> Void
    private let state = Mutex(State())

    /// How far ahead of the heard frame sound is made.
    private static let aheadSeconds = 20.0

    private struct Entry {
        let utterance: AVSpeechUtterance
        let settings: SpeechSettings
        let volume: Float
        let delays: (before: Double, after: Double)
        var passages: ArraySlice<SpeechText.Passage>
        var isBegun = false
        /// The mark of its start has been added.
        var isStarted = false

        init(_ utterance: AVSpeechUtterance) {
            self.utterance = utterance
            settings = SpeechSettings(utterance)
            volume = utterance.volume
            delays = (utterance.preUtteranceDelay, utterance.postUtteranceDelay)
            passages = SpeechText.passages(of: utterance.speechString)[...]
        }
    }

    /// An event that is reported when playback reaches a frame.
    private struct Mark {
        let frame: Int64
        let event: Event
        let utterance: AVSpeechUtterance
    }

    private enum Phase: Equatable {
        /// There is nothing to say. Legal exit: speaking.
        case idle
        /// Legal exits: pausing, paused, stopping, idle.
        case speaking
        /// Speaks up to a frame, then pauses. Legal exits: paused, speaking, idle.
        case pausing
        /// Speaks up to a frame, then stops. Legal exit: idle.
        case stopping
        /// Legal exits: speaking, idle.
        case paused
    }

    private struct State {
        var phase = Phase.idle
        /// Utterances that are not finished, in order; the last ones have no sound yet.
        var unfinished: [AVSpeechUtterance] = []
        var unmade: [Entry] = []
        /// Events that are not reported yet, in order.
        var marks: [Mark] = []
        /// The utterance that has started and not finished.
        var current: AVSpeechUtterance?
        /// The sound and the player since speech last began; nil while there is nothing to say.
        var stream: Stream?
        var isMaking = false
        /// The last error message; the same message is not printed twice in a row.
        var lastMessage: String?

        /// The first frame of the next word, or the end; nil if it is not known yet or has been reached.
        var nextBoundary: Int64? {
            guard let stream, let next = marks.first?.frame, next > stream.frame else { return nil }
            return next
        }

        mutating func nextJob() -> Job? {
            guard let stream else { return endMaking() }
            let sound = stream.sound
            while let entry = unmade.first {
                let ahead = Double(sound.frameCount - stream.frame) / Double(SpokenPassage.sampleRate)
                // Utterances that are added after a reader has reached the end get a new stream.
                guard ahead < SpeechQueue.aheadSeconds, entry.isBegun || sound.setLast(false) else {
                    return endMaking()
                }
                if !entry.isBegun { sound.appendSilence(seconds: entry.delays.before) }
                unmade[0].isBegun = true
                if let passage = unmade[0].passages.popFirst() {
                    return Job(
                        sound: sound, utterance: entry.utterance, passage: passage, settings: entry.settings,
                        volume: entry.volume)
                }
                startFirst()
                marks.append(Mark(frame: sound.frameCount, event: .finished, utterance: entry.utterance))
                sound.appendSilence(seconds: entry.delays.after)
                unmade.removeFirst()
            }
            sound.setLast(true)
            return endMaking()
        }

        private mutating func endMaking() -> Job? {
            isMaking = false
            return nil
        }

        /// Marks the start of the first unmade utterance at the current end of the sound.
        private mutating func startFirst() {
            guard let stream, let entry = unmade.first, !entry.isStarted else { return }
            unmade[0].isStarted = true
            marks.append(Mark(frame: stream.sound.frameCount, event: .started, utterance: entry.utterance))
        }

        /// - Returns: an error message to print; nil if there is none.
        mutating func accept(_ outcome: Result<SpokenPassage, SpeechError>, of job: Job) -> String? {
            guard let sound = stream?.sound, sound === job.sound else { return nil }
            switch outcome {
            case .success(let passage):
                startFirst()
                let start = sound.frameCount
                for (word, frame) in zip(job.passage.words, passage.wordFrames) {
                    marks.append(Mark(frame: start + Int64(frame), event: .word(word.range), utterance: job.utterance))
                }
                sound.append(job.volume == 1 ? passage.samples : passage.samples.map { $0 * job.volume })
                return nil
            case .failure(let error):
                marks.append(Mark(frame: sound.frameCount, event: .cancelled, utterance: job.utterance))
                unmade.removeFirst()
                defer { lastMessage = error.message }
                return error.message == lastMessage ? nil : error.message
            }
        }

        /// Begins a stream for utterances that were added after a reader had reached the end; idle if there are none.
        mutating func beginStream(after previous: Stream) {
            stream = unfinished.isEmpty ? nil : Stream(runtime: previous.runtime, knownLosses: previous.knownLosses)
            if stream == nil { phase = .idle }
        }

        mutating func pass(_ mark: Mark) {
            switch mark.event {
            case .started: current = mark.utterance
            case .finished, .cancelled:
                current = nil
                unfinished.removeAll { $0 === mark.utterance }
            case .word, .paused, .continued: break
            }
        }
    }

    private struct Stream {
        let runtime: SessionRuntime
        /// The session's count of losses when the app last asked: at `speak`, or at the newest `continueSpeaking`.
        var knownLosses: UInt64
        let sound = GrowingSound(name: "speech", sampleRate: SpokenPassage.sampleRate)
        var player: FilePlayer?
        var isOpening = false
        /// The frame at which the next player begins.
        var startFrame: Int64 = 0
        /// The frame that playback has reached.
        var frame: Int64 = 0

        /// An output has left since then, and no player was there to pause.
        var hasLostOutput: Bool { runtime.outputLosses != knownLosses }
    }

    init(
        engine: any SpeechEngine, onEvent: @escaping @MainActor @Sendable (Event, AVSpeechUtterance) -> Void
    ) {
        self.engine = engine
        self.onEvent = onEvent
    }

    // MARK: The app

    var isSpeaking: Bool { state.withLock { !$0.unfinished.isEmpty } }
    var isPaused: Bool { state.withLock { $0.phase == .paused } }

    func add(_ utterance: AVSpeechUtterance) {
        let entry = Entry(utterance)
        let runtime = AVAudioSession.sharedInstance().runtime
        let knownLosses = runtime.outputLosses
        state.withLock { state in
            programmerError(
                unless: !state.unfinished.contains { $0 === utterance },
                "an utterance was given to a synthesizer that has it already: make a new AVSpeechUtterance for each speak(_:)"
            )
            state.unfinished.append(utterance)
            state.unmade.append(entry)
            if state.phase == .idle { state.phase = .speaking }
            if state.stream == nil { state.stream = Stream(runtime: runtime, knownLosses: knownLosses) }
        }
        make()
    }

    /// - Parameter atWord: pauses before the next word, not inside of this one.
    func pause(atWord: Bool) -> Bool {
        let (isPaused, act) = state.withLock { state -> (Bool, Act?) in
            guard !state.unfinished.isEmpty, state.phase == .speaking || state.phase == .pausing else {
                return (false, nil)
            }
            let player = state.stream?.player
            let tellWords = catchUp(&state)
            if atWord, let player, let frame = state.nextBoundary {
                state.phase = .pausing
                return (
                    true,
                    {
                        tellWords()
                        player.setEnd(atSeconds: Self.seconds(frame), ofFile: 0)
                    }
                )
            }
            state.phase = .paused
            let tell = self.tell(.paused, &state)
            return (
                true,
                {
                    player?.pause()
                    tellWords()
                    tell?()
                }
            )
        }
        act?()
        return isPaused
    }

    /// - Returns: false if it is not paused, or if the session does not let it play.
    func resume() -> Bool {
        let (wasPausing, player) = state.withLock { state -> (Bool, FilePlayer?) in
            let wasPausing = state.phase == .pausing
            if wasPausing { state.phase = .speaking }
            return (wasPausing, state.stream?.player)
        }
        // Removes the end that a pause at a word had set.
        player?.setEnd(atSeconds: nil, ofFile: 0)
        if wasPausing { return true }
        guard state.withLock({ $0.phase == .paused }) else { return false }
        do {
            try player?.play()
        } catch {
            Self.say(error.message)
            return false
        }
        let act = state.withLock { state -> Act? in
            guard state.phase == .paused else { return nil }
            state.phase = .speaking
            // The app asks for sound on the current route, so earlier losses do not count.
            if let losses = state.stream?.runtime.outputLosses { state.stream?.knownLosses = losses }
            return tell(.continued, &state) ?? {}
        }
        act?()
        open()
        flushSilent()
        return act != nil
    }

    /// - Parameter atWord: stops before the next word, not inside of this one.
    func stop(atWord: Bool) -> Bool {
        let act = state.withLock { state -> Act? in
            guard !state.unfinished.isEmpty else { return nil }
            let tellWords = catchUp(&state)
            if atWord, state.phase == .speaking, let player = state.stream?.player, let frame = state.nextBoundary {
                state.phase = .stopping
                return {
                    tellWords()
                    player.setEnd(atSeconds: Self.seconds(frame), ofFile: 0)
                }
            }
            let reset = self.reset(&state, telling: [state.current].compactMap(\.self))
            return {
                tellWords()
                reset()
            }
        }
        act?()
        return act != nil
    }

    // MARK: Sound

    /// Makes the sound of the next utterances, unless that is already running.
    private func make() {
        let runtime = state.withLock { state -> SessionRuntime? in
            guard !state.isMaking, let stream = state.stream else { return nil }
            state.isMaking = true
            return stream.runtime
        }
        runtime?.runElsewhere { [weak self] in self?.makeAll() }
    }

    private struct Job {
        let sound: GrowingSound
        let utterance: AVSpeechUtterance
        let passage: SpeechText.Passage
        let settings: SpeechSettings
        let volume: Float
    }

    private func makeAll() {
        while let job = state.withLock({ $0.nextJob() }) {
            let outcome = Result { () throws(SpeechError) in
                try engine.speak(job.passage, job.settings.withVoice(of: engine))
            }
            let message = state.withLock { $0.accept(outcome, of: job) }
            if let message { Self.say(message) }
            open()
        }
        open()
        // An utterance that failed has no sound, so no player reports its end.
        flushSilent()
    }

    /// Opens a player of the sound that has been made, and plays it.
    private func open() {
        let job = state.withLock { state -> (SessionRuntime, GrowingSound, Int64)? in
            guard state.phase == .speaking, let stream = state.stream, stream.player == nil, !stream.isOpening,
                stream.sound.frameCount > stream.startFrame
            else { return nil }
            state.stream?.isOpening = true
            return (stream.runtime, stream.sound, stream.startFrame)
        }
        guard let (runtime, sound, startFrame) = job else { return }
        do {
            let reader = try AudioFileReader(sound, outputSampleRate: runtime.host.sampleRate)
            let player = try FilePlayer(
                reader: reader, runtime: runtime,
                onChange: { [weak self] in self?.follow(sound, $0) },
                onTime: { [weak self] in self?.advance(sound, toSeconds: $0) ?? .infinity })
            player.seek(toSeconds: Self.seconds(startFrame))
            let act = state.withLock { state -> Act? in
                guard let stream = state.stream, stream.sound === sound else { return nil }
                state.stream?.isOpening = false
                state.stream?.player = player
                guard state.phase == .speaking else { return nil }
                guard stream.hasLostOutput else { return { [self] in play(player, stream.knownLosses) } }
                state.phase = .paused
                return tell(.paused, &state)
            }
            act?()
        } catch {
            fail((error as? SessionError)?.message ?? (error as? AudioFileError)?.message ?? "\(error)", of: sound)
        }
    }

    private func play(_ player: FilePlayer, _ knownLosses: UInt64) {
        do {
            try player.play(at: nil, knownLosses: knownLosses)
        } catch {
            let sound = state.withLock { $0.stream?.player === player ? $0.stream?.sound : nil }
            if let sound { fail(error.message, of: sound) }
        }
    }

    /// Ends all speech after an error of the session or of the sound.
    private func fail(_ message: String, of sound: GrowingSound) {
        let act = state.withLock { state -> Act? in
            guard state.stream?.sound === sound else { return nil }
            return reset(&state, telling: state.unfinished)
        }
        if act != nil { Self.say(message) }
        act?()
    }

    /// Reader thread of the player: playback has reached a time.
    ///
    /// - Returns: seconds until the next event.
    private func advance(_ sound: GrowingSound, toSeconds seconds: Double) -> Double {
        let (tell, next, makesMore, runtime) = state.withLock { state -> (Act, Double, Bool, SessionRuntime?) in
            guard let stream = state.stream, stream.sound === sound else { return ({}, .infinity, false, nil) }
            let tell = self.tell(before: Self.frame(seconds), &state)
            let next = state.marks.first.map { Self.seconds($0.frame + 1) - seconds } ?? .infinity
            return (tell, next, !state.unmade.isEmpty && !state.isMaking, stream.runtime)
        }
        tell()
        if makesMore { runtime?.notices.enqueue { [weak self] in self?.make() } }
        return next
    }

    /// Poster thread.
    private func follow(_ sound: GrowingSound, _ status: FilePlayer.Status) {
        switch status.state {
        case .ready, .playing: break
        case .paused:
            // A player that waits for an output continues without a call.
            guard status.cause != .user, !status.playWhenReady else { return }
            let tell = state.withLock { state -> Act? in
                guard state.stream?.sound === sound, state.phase != .paused else { return nil }
                let isStopping = state.phase == .stopping
                let tellWords = catchUp(&state)
                state.phase = .paused
                let tell =
                    isStopping
                    ? reset(&state, telling: [state.current].compactMap(\.self)) : self.tell(.paused, &state)
                return {
                    tellWords()
                    tell?()
                }
            }
            tell?()
        case .failed: fail(status.message ?? "the player of the speech has failed", of: sound)
        case .finished: end(sound, at: Self.frame(status.position))
        }
    }

    /// Poster thread: the player has reached its end, which may be an end that `pause` or `stop` has set at a word.
    private func end(_ sound: GrowingSound, at frame: Int64) {
        let act = state.withLock { state -> Act? in
            guard let stream = state.stream, stream.sound === sound, let player = stream.player else { return nil }
            let close: Act = { stream.runtime.runElsewhere { player.close() } }
            switch state.phase {
            case .pausing:
                let tellWords = tell(before: frame, &state)
                state.phase = .paused
                let tellPause = tell(.paused, &state)
                state.stream?.player = nil
                state.stream?.startFrame = frame
                return {
                    tellWords()
                    tellPause?()
                    close()
                }
            case .stopping:
                let tellWords = tell(before: frame, &state)
                let reset = self.reset(&state, telling: [state.current].compactMap(\.self))
                return {
                    tellWords()
                    reset()
                }
            case .idle, .speaking, .paused:
                let tell = self.tell(before: .max, &state)
                state.beginStream(after: stream)
                return { [self] in
                    tell()
                    close()
                    make()
                }
            }
        }
        act?()
    }

    /// Reports what no player reports: utterances without a word, utterances that failed, and the end of a sound that
    /// was paused at its end.
    private func flushSilent() {
        let act = state.withLock { state -> Act? in
            guard let stream = state.stream, stream.player == nil, !stream.isOpening, state.phase == .speaking,
                stream.sound.frameCount <= stream.startFrame, state.unmade.isEmpty || stream.sound.isEnded
            else { return nil }
            let tell = self.tell(before: .max, &state)
            state.beginStream(after: stream)
            return { [self] in
                tell()
                make()
            }
        }
        act?()
    }

    // MARK: Reporting. Each function returns the work to do after the lock is released

    private func tell(_ event: Event, _ state: inout State) -> Act? {
        guard let utterance = state.current ?? state.unfinished.first, let runtime = state.stream?.runtime else {
            return nil
        }
        return { [onEvent] in runtime.notices.enqueueOnMainThread { onEvent(event, utterance) } }
    }

    /// Reports the events since the player's position was last read.
    private func catchUp(_ state: inout State) -> Act {
        guard let player = state.stream?.player else { return {} }
        return tell(before: Self.frame(player.status.position), &state)
    }

    /// Playback has reached a frame: reports all events before it.
    private func tell(before frame: Int64, _ state: inout State) -> Act {
        if let heard = state.stream?.frame { state.stream?.frame = max(heard, frame) }
        let due = Array(state.marks.prefix { $0.frame < frame })
        state.marks.removeFirst(due.count)
        let runtime = state.stream?.runtime
        for mark in due { state.pass(mark) }
        return { [onEvent] in
            for mark in due { runtime?.notices.enqueueOnMainThread { onEvent(mark.event, mark.utterance) } }
        }
    }

    /// Ends all speech.
    private func reset(_ state: inout State, telling cancelled: [AVSpeechUtterance]) -> Act {
        let (stream, utterances) = (state.stream, state.unfinished)
        // A job that is running is dropped when it ends.
        state = State(isMaking: state.isMaking, lastMessage: state.lastMessage)
        return { [onEvent] in
            // Utterances belong to the app, so they are released outside of the lock.
            withExtendedLifetime(utterances) {}
            guard let stream else { return }
            if let player = stream.player { stream.runtime.runElsewhere { player.close() } }
            for utterance in cancelled {
                stream.runtime.notices.enqueueOnMainThread { onEvent(.cancelled, utterance) }
            }
        }
    }

    private static func frame(_ seconds: Double) -> Int64 {
        Int64((seconds * Double(SpokenPassage.sampleRate)).rounded())
    }

    private static func seconds(_ frame: Int64) -> Double { Double(frame) / Double(SpokenPassage.sampleRate) }

    /// Prints a message to the standard error.
    static func say(_ message: String) {
        FileHandle.standardError.write(Data("OpenAVFAudio: \(message)\n".utf8))
    }
}

extension GrowingSound {
    fileprivate func appendSilence(seconds: Double) { appendSilence(frames: Int64(seconds * Double(sampleRate))) }
}
