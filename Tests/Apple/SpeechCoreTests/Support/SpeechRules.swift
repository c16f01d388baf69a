import SpeechCore

/// What an app may rely on, whatever happens.
struct SpeechRules {
    private struct Life {
        enum Stage { case waiting, started, ended }

        let text: Text
        /// How often a stop had been asked for when it was added.
        let stops: Int
        var stage = Stage.waiting
        var words: [SpeechNotice] = []
        var isForgotten = false
    }

    var violations: [String] = []
    private var lives: [UtteranceID: Life] = [:]
    private var stops = 0
    private var isPaused = false
    private var lastStarted: UInt64 = 0

    /// How many have ended, by being finished or cancelled, and how many are still known.
    var ended: Int { lives.values.count { $0.stage == .ended } }
    var known: Int { lives.values.count { !$0.isForgotten } }

    private mutating func check(_ condition: Bool, _ message: String) { if !condition { violations.append(message) } }

    mutating func added(_ id: UtteranceID, _ text: Text) { lives[id] = Life(text: text, stops: stops) }

    mutating func stopped() { stops += 1 }

    mutating func told(_ notice: SpeechNotice, _ id: UtteranceID) {
        let name = "\(notice) of \(id.number)"
        guard let life = lives[id], !life.isForgotten else { return violations.append("\(name): it is forgotten") }
        check(life.stage != .ended, "\(name): it has ended")
        switch notice {
        case .started:
            check(life.stage == .waiting, "\(name) twice")
            check(!isPaused, "\(name) during a pause")
            check(id.number > lastStarted, "\(name) behind \(lastStarted)")
            lastStarted = id.number
            lives[id]?.stage = .started
        case .word:
            check(life.stage == .started, "\(name) before its start")
            check(!isPaused, "\(name) during a pause")
            check(!life.words.contains(notice), "\(name) twice")
            lives[id]?.words.append(notice)
        case .finished:
            check(life.stage == .started, "\(name) before its start")
            check(!isPaused, "\(name) during a pause")
            check(life.words == life.text.words, "\(name) without each of its words in order: \(life.words)")
            check(life.text.failingPassage == nil, "\(name), which the engine does not speak")
            lives[id]?.stage = .ended
        case .cancelled:
            lives[id]?.stage = .ended
            // There is nothing left that is paused.
            isPaused = false
        case .paused:
            check(!isPaused, "\(name) twice")
            isPaused = true
        case .continued:
            check(isPaused, "\(name) without a pause")
            isPaused = false
        }
    }

    mutating func forgotten(_ id: UtteranceID) {
        guard let life = lives[id], !life.isForgotten else {
            return violations.append("\(id.number) is forgotten twice")
        }
        check(life.stage != .started, "\(id.number) has started, and its end is not told")
        check(life.stage == .ended || stops > life.stops, "\(id.number) is dropped, and no stop was asked for")
        lives[id]?.isForgotten = true
        if life.stage != .ended { isPaused = false }
    }

    mutating func expectTold(_ id: UtteranceID, _ word: SpeechNotice) {
        guard let life = lives[id], !life.isForgotten else { return }
        check(life.words.contains(word), "\(word) of \(id.number) sounds, and is not told")
    }

    mutating func opened(atFrame frame: Int64, heard: Int64) {
        check(abs(frame - heard) < 221, "a player begins at frame \(frame), and the one before came to \(heard)")
    }

    /// Nothing is on its way.
    mutating func settled(_ machine: SpeechMachine, playing: [PlayerID]) {
        check(machine.isPaused == isPaused || !machine.isSpeaking, "isPaused is \(machine.isPaused)")
        check(machine.phase != .continuing, "a request to continue has no answer")
        check(machine.making == .none, "the maker is at rest and said to be \(machine.making)")
        switch machine.phase {
        case nil:
            check(playing.isEmpty, "there is nothing to say, and a player plays")
            check(known == 0, "there is nothing to say, and \(known) utterances are not forgotten")
        case .paused: check(playing.isEmpty, "speech is paused, and a player plays")
        case .speaking, .pausing, .stopping, .continuing:
            check(playing == machine.player.open.map { [$0] }, "\(playing) play, not \(machine.player)")
        }
    }
}

extension Text {
    var words: [SpeechNotice] {
        passages.indices.flatMap { passage in (0..<passages[passage]).map { .word(passage: passage, word: $0) } }
    }
}
