import AudioFiles
import AudioModel
import AudioRuntime
import Foundation
internal import OpenAudioSession
import SessionRuntime
import SpeechCore
import Synchronization

/// The utterances of a synthesizer: makes their sound ahead, has players play it, and reports events and words.
///
/// `SpeechMachine` decides; this carries its effects out. Any thread except the session thread. What waits for the engine or
/// a stream runs in `SessionRuntime.runElsewhere`.
final class SpeechQueue: Sendable {
    private let engine: any SpeechEngine
    /// Called on the main thread.
    private let onEvent: @MainActor @Sendable (SpeechNotice, Entry) -> Void
    private let state = Mutex(State())
    /// Events on their way to the main thread; with this lock they are enqueued, and nothing else is done.
    private let order = Mutex(NoticeOrder<Notice>())

    struct Entry {
        let utterance: AVSpeechUtterance
        let settings: SpeechSettings
        let volume: Float
        let passages: [SpeechText.Passage]
    }

    private struct Notice: Sendable {
        let event: SpeechNotice
        let entry: Entry
        let runtime: SessionRuntime
    }

    /// An effect with what it needs: prepared with the lock, and carried out without it.
    private enum Work {
        case effect(SpeechEffect, SessionRuntime)
        case tell(Notice, number: UInt64)
        case close(FilePlayer, SessionRuntime)
        /// Utterances belong to the app, so they are released outside of the lock.
        case release(Entry)
    }

    private struct State {
        var machine = SpeechMachine()
        /// The session of the app since speech last began.
        var runtime: SessionRuntime?
        var entries: [UtteranceID: Entry] = [:]
        var sound: (id: SoundID, growing: GrowingSound)?
        var players: [PlayerID: FilePlayer] = [:]
        /// The samples of the passage that was spoken last; the maker's.
        var samples: [Float] = []
        var lastUtterance: UInt64 = 0
        var noticeCount: UInt64 = 0

        /// The frame that the player has reached.
        var heard: Int64? { machine.player.open.flatMap { players[$0] }.map(\.frame) }

        mutating func takeSamples() -> [Float] {
            defer { samples = [] }
            return samples
        }

        mutating func prepare(_ effect: SpeechEffect) -> Work? {
            guard let runtime else { return nil }
            switch effect {
            case .tell(let notice, let id):
                guard let entry = entries[id] else { return nil }
                defer { noticeCount += 1 }
                return .tell(Notice(event: notice, entry: entry, runtime: runtime), number: noticeCount)
            case .forget(let id): return entries.removeValue(forKey: id).map { .release($0) }
            case .beginSound(let id):
                sound = (id, GrowingSound(name: "speech", sampleRate: SpokenPassage.sampleRate))
                return nil
            case .endSound(let id):
                if sound?.id == id { sound = nil }
                return nil
            case .closePlayer(let id): return players.removeValue(forKey: id).map { .close($0, runtime) }
            case .answer, .say, .startMaker, .requestMaking, .reopenSound, .closeSound, .appendSilence, .appendPassage,
                .speak, .finishMaking, .openPlayer, .startPlayer, .continuePlayer, .pausePlayer, .setEnd:
                return .effect(effect, runtime)
            }
        }
    }

    init(engine: any SpeechEngine, onEvent: @escaping @MainActor @Sendable (SpeechNotice, Entry) -> Void) {
        self.engine = engine
        self.onEvent = onEvent
    }

    // MARK: The app

    var isSpeaking: Bool { state.withLock { $0.machine.isSpeaking } }
    var isPaused: Bool { state.withLock { $0.machine.isPaused } }

    func add(_ utterance: AVSpeechUtterance) {
        let passages = SpeechText.passages(of: utterance.speechString)
        let entry = Entry(
            utterance: utterance, settings: SpeechSettings(utterance), volume: utterance.volume, passages: passages)
        let delays = (before: utterance.preUtteranceDelay, after: utterance.postUtteranceDelay)
        let runtime = AVAudioSession.sharedInstance().runtime
        let losses = runtime.outputLosses
        apply { state in
            programmerError(
                unless: !state.entries.values.contains { $0.utterance === utterance },
                "an utterance was given to a synthesizer that has it already: make a new AVSpeechUtterance for each speak(_:)"
            )
            if state.machine.isIdle { state.runtime = runtime }
            state.lastUtterance += 1
            let id = UtteranceID(number: state.lastUtterance)
            state.entries[id] = entry
            let item = SpeechItem(
                id: id, passageCount: passages.count, framesBefore: Int64(delays.before * SpokenPassage.rate),
                framesAfter: Int64(delays.after * SpokenPassage.rate))
            return .added(item, losses: losses)
        }
    }

    /// - Parameter atWord: pauses before the next word, not inside of this one.
    func pause(atWord: Bool) -> Bool {
        apply { .pauseRequested(atWord ? .word : .immediate, heard: $0.heard) }
    }

    /// - Returns: false if it is not paused, or if the session does not let it play.
    func resume() -> Bool { apply { .continueRequested(losses: $0.runtime?.outputLosses ?? 0) } }

    /// - Parameter atWord: stops before the next word, not inside of this one.
    func stop(atWord: Bool) -> Bool { apply { .stopRequested(atWord ? .word : .immediate, heard: $0.heard) } }

    // MARK: Events and effects

    /// Applies what happened and carries the effects out.
    ///
    /// - Parameter event: called with the lock, so that what it reads holds when the machine decides; nil: nothing happened.
    /// - Returns: the machine's answer to a request of the app.
    @discardableResult
    private func apply(_ event: (inout State) -> SpeechEvent?) -> Bool {
        // The next one last. Not recursive: a long text has many passages.
        var (work, answer) = (Array(decide(event).reversed()), false)
        while let next = work.popLast() {
            switch next {
            case .effect(.answer(let value), _): answer = value
            case .effect(let effect, let runtime): work += carryOut(effect, runtime).reversed()
            case .tell(let notice, let number): tell(notice, number)
            case .close(let player, let runtime): runtime.runElsewhere { player.close() }
            case .release: break
            }
        }
        return answer
    }

    private func decide(_ event: (inout State) -> SpeechEvent?) -> [Work] {
        state.withLock { state in
            guard let event = event(&state) else { return [] }
            return state.machine.apply(event).compactMap { state.prepare($0) }
        }
    }

    private func decide(_ event: SpeechEvent) -> [Work] { decide { _ in event } }

    private func tell(_ notice: Notice, _ number: UInt64) {
        let delivered = order.withLock { order in
            let due = order.add(notice, number: number)
            for notice in due {
                notice.runtime.notices.enqueueOnMainThread { [onEvent] in onEvent(notice.event, notice.entry) }
            }
            return due
        }
        // Utterances are released outside of the lock.
        withExtendedLifetime(delivered) {}
    }

    /// - Returns: what follows from it.
    private func carryOut(_ effect: SpeechEffect, _ runtime: SessionRuntime) -> [Work] {
        switch effect {
        case .say(let message): Self.say(message)
        case .startMaker: runtime.runElsewhere { [weak self] in self?.apply { _ in .makerStarted } }
        case .requestMaking: runtime.notices.enqueue { [weak self] in self?.apply { _ in .makingRequested } }
        case .reopenSound(let id):
            // Of a sound that was dropped in the meantime the machine wants no answer.
            let isOpen = sound(id)?.setLast(false) ?? false
            return decide(.soundReopened(id, isOpen: isOpen))
        case .closeSound(let id): sound(id)?.setLast(true)
        case .appendSilence(let id, let frames): sound(id)?.appendSilence(frames: frames)
        case .appendPassage(let job): sound(job.sound)?.append(state.withLock { $0.takeSamples() })
        case .speak(let job): return decide(speak(job))
        case .finishMaking: return decide(.makerFinished)
        case .openPlayer(let id, let sound, let frame): return open(id, sound, frame, runtime)
        case .startPlayer(let id, let knownLosses):
            return play(id, knownLosses, then: .playerStarted(id)) { .startRefused(id, message: $0) }
        case .continuePlayer(let id, let knownLosses):
            return play(id, knownLosses, then: .playerContinued(id)) { .continuingRefused(id, message: $0) }
                + decide { Self.event(of: id, in: $0) }
        case .pausePlayer(let id): player(id)?.pause()
        case .setEnd(let id, let frame):
            guard let player = player(id) else { break }
            // A player at its end would leave it for the new one, and stay silent there.
            if player.status.state == .finished { return decide { Self.event(of: id, in: $0) } }
            player.setEnd(atSeconds: frame.map(Self.seconds), ofFile: 0)
        case .answer, .tell, .forget, .beginSound, .endSound, .closePlayer: break
        }
        return []
    }

    private func sound(_ id: SoundID) -> GrowingSound? {
        state.withLock { $0.sound.flatMap { $0.id == id ? $0.growing : nil } }
    }

    private func player(_ id: PlayerID) -> FilePlayer? { state.withLock { $0.players[id] } }

    // MARK: The maker

    private func speak(_ job: SpeechJob) -> SpeechEvent {
        guard let entry = state.withLock({ $0.entries[job.utterance] }) else {
            return .passageFailed(job, message: "the utterance was cancelled")
        }
        let passage = entry.passages[job.passage]
        do throws(SpeechError) {
            let spoken = try engine.speak(passage, entry.settings.withVoice(of: engine))
            let volume = entry.volume
            let samples = volume == 1 ? spoken.samples : spoken.samples.map { $0 * volume }
            state.withLock { $0.samples = samples }
            let words = zip(passage.words, spoken.wordFrames).map { Int64($1) }
            return .passageSpoken(job, frames: Int64(samples.count), words: words)
        } catch {
            return .passageFailed(job, message: error.message)
        }
    }

    // MARK: The player

    private func open(_ id: PlayerID, _ sound: SoundID, _ frame: Int64, _ runtime: SessionRuntime) -> [Work] {
        guard let sound = self.sound(sound) else { return [] }
        do {
            let reader = try AudioFileReader(sound, outputSampleRate: runtime.host.sampleRate)
            let player = try FilePlayer(
                reader: reader, runtime: runtime, onChange: { [weak self] _ in self?.follow(id) },
                onTime: { [weak self] in self?.advance(id, toSeconds: $0) ?? .infinity })
            player.seek(toSeconds: Self.seconds(frame))
            return decide { state in
                state.players[id] = player
                return .playerOpened(id, losses: runtime.outputLosses)
            }
        } catch {
            let message = (error as? SessionError)?.message ?? (error as? AudioFileError)?.message ?? "\(error)"
            return decide(.openingFailed(id, message: message))
        }
    }

    private func play(
        _ id: PlayerID, _ knownLosses: UInt64, then event: SpeechEvent, orElse refused: (String) -> SpeechEvent
    ) -> [Work] {
        guard let player = player(id) else { return [] }
        // It would begin its sound again.
        if player.status.state == .finished { return decide { Self.event(of: id, in: $0) } + decide(event) }
        do {
            try player.play(at: nil, knownLosses: knownLosses)
            return decide(event)
        } catch {
            return decide(refused(error.message))
        }
    }

    /// Reader thread of the player: playback has reached a time.
    ///
    /// - Returns: seconds until the next event.
    private func advance(_ id: PlayerID, toSeconds seconds: Double) -> Double {
        apply { _ in .playerReached(id, frame: Self.frame(seconds)) }
        let next = state.withLock { $0.machine.player.open == id ? $0.machine.nextNoticeFrame : nil }
        return next.map { Self.seconds($0 + 1) - seconds } ?? .infinity
    }

    /// Poster thread: the player has changed.
    ///
    /// Its state is read now, so that an old report is not taken for a new one.
    private func follow(_ id: PlayerID) { apply { Self.event(of: id, in: $0) } }

    private static func event(of id: PlayerID, in state: State) -> SpeechEvent? {
        guard let player = state.players[id] else { return nil }
        let status = player.status
        return switch status.state {
        case .ready, .playing: nil
        // A player that waits for an output continues without a call.
        case .paused: status.playWhenReady ? nil : .playerPaused(id, heard: frame(status.position))
        case .failed: .playerFailed(id, message: status.message ?? "the player of the speech has failed")
        case .finished: .playerEnded(id, frame: frame(status.position))
        }
    }

    fileprivate static func frame(_ seconds: Double) -> Int64 { Int64((seconds * SpokenPassage.rate).rounded()) }

    private static func seconds(_ frame: Int64) -> Double { Double(frame) / SpokenPassage.rate }

    /// Prints a message to the standard error.
    static func say(_ message: String) {
        FileHandle.standardError.write(Data("OpenAVFAudio: \(message)\n".utf8))
    }
}

extension FilePlayer {
    /// The frame of the sound that it has reached.
    fileprivate var frame: Int64 { SpeechQueue.frame(status.position) }
}

extension SpokenPassage {
    fileprivate static var rate: Double { Double(sampleRate) }
}
