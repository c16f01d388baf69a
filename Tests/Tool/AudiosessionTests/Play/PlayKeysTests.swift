import TestSupport
import Testing

@testable import AudioRuntime
@testable import audiosession

/// The keys of a player, and the lists that they open.
@Suite struct PlayKeysTests {
    private typealias Rig = PlayRunnerRig

    @Test func table_hasEachKeyOnce_andEachIsInTheHelp() {
        let keys = PlayKey.all(.unicode).flatMap(\.actions.keys)
        #expect(keys.count == Set(keys).count)
        for key in keys {
            #expect(PlayKey.action(key) != nil)
            // A letter is the same key with Shift.
            if case .character(let letter) = key {
                #expect(PlayKey.action(.character(Character(letter.uppercased()))) == PlayKey.action(key))
            }
        }
        let shown = PlayKey.all(.unicode).filter { $0.hint != nil }
        let ranks = shown.filter { ![.several, .simulation].contains($0.need) }.map(\.rank)
        #expect(ranks.count == Set(ranks).count)
        #expect(PlayKey.help.split(separator: "\n").count == PlayKey.all(.unicode).count)
        #expect(PlayKey.help.split(separator: "\n").allSatisfy { $0.count < 80 })
        #expect(PlayKey.action("y") == nil)
    }

    @Test func gainKey_goesThroughItsThree_andTheFactsSayWhatIsHeard() {
        let facts = "WAV, 16 bit, 48 kHz"
        let gains = [
            "loud.wav": ["track gain -6.2 dB", "track gain -6.2 dB"],
            // The peak of the album allows no more.
            "album.wav": ["track gain -6.2 dB", "album gain +6.0 dB"],
            "plain.wav": ["no gain in the tags", "no gain in the tags"],
        ]
        for (file, words) in gains {
            let rig = Rig([file: 200], play: [file], isInteractive: true)
            var shown: [String?] = []
            for _ in 0..<4 {
                shown.append(rig.runner.nowPlaying?.tracks[0].facts)
                rig.press("g")
            }
            #expect(shown == [facts] + words.map { "\($0)  \(facts)" } + [facts])
        }
    }

    // MARK: Seeks

    @Test(
        arguments: [
            (PlaySeek.by(5), 10, 60, 15), (.by(60), 10, 60, 59), (.by(5), 58, 60, 59), (.by(5), 59.5, 60, 59),
            (.by(5), 0, 0.5, 0),
            (.by(5), 10, 0, 15), (.by(-5), 3, 60, 0), (.by(-60), 90, 100, 30), (.tenths(0), 30, 60, 0),
            (.tenths(9), 0, 60, 54),
            (.tenths(5), 9, 0, nil), (.to(100), 5, 60, 100), (.to(-1), 5, 60, 0), (.nextChapter, 0, 60, nil),
        ] as [(PlaySeek, Double, Double, Double?)])
    func seek_leadsThere(seek: PlaySeek, position: Double, duration: Double, target: Double?) {
        #expect(seek.target(from: position, duration: duration) == target)
    }

    /// The next file has not begun, however long the key is held.
    @Test func rightArrow_thatIsHeld_staysInTheFile() {
        let rig = Rig(["a.wav": 30, "b.wav": 30], play: ["a.wav", "b.wav"], isInteractive: true)
        for _ in 0..<100 {
            rig.press(.right)
            rig.run(seconds: 0.03)
        }
        #expect(rig.runner.nowPlaying?.tracks[0].title == "a.wav")
        rig.run(seconds: 1)
        #expect(rig.runner.nowPlaying?.tracks[0].title == "b.wav")
    }

    @Test func pagesAndDigits_seek() {
        let rig = Rig(["a.wav": 200], play: ["a.wav"], isInteractive: true)
        func position() -> Double? { rig.runner.nowPlaying?.tracks[0].position }
        rig.press(.pageUp, .pageUp)
        #expect(position() == 120)
        rig.press(.pageDown)
        #expect(position() == 60)
        rig.press("7")
        #expect(position() == 140)
        rig.press("0")
        #expect(position() == 0)
    }

    // MARK: Repeat and shuffle

    @Test func repeatAndShuffle_areTurnedOnAndOff_andShown() {
        let files = ["a.wav", "b.wav", "c.wav"]
        let rig = Rig(Dictionary(uniqueKeysWithValues: files.map { ($0, 4) }), play: files, isInteractive: true)
        rig.press("r", "s")
        #expect(rig.runner.nowPlaying.map { [$0.isRepeating, $0.isShuffled] } == [true, true])
        rig.press("s")
        for _ in 0..<3 { rig.run(seconds: 4) }
        #expect(rig.runner.nowPlaying?.tracks[0].title == "a.wav")
        rig.press("r")
        for _ in 0..<3 { rig.run(seconds: 4) }
        #expect(rig.runner.isDone)
    }

    // MARK: Lists

    @Test func listOfFiles_choosesOneByArrowsOrItsNumber() {
        let files = ["a.wav", "b.wav", "c.wav"]
        let rig = Rig(Dictionary(uniqueKeysWithValues: files.map { ($0, 40) }), play: files, isInteractive: true)
        rig.press("l")
        #expect(rig.runner.nowPlaying?.songs?.titles == files)
        rig.press(.down, .down, .up, .down, .down, .enter)
        #expect(rig.runner.nowPlaying?.tracks[0].title == "c.wav")
        #expect(rig.runner.nowPlaying?.songs?.playing == 2)
        rig.press("2", .enter)
        #expect(rig.runner.nowPlaying?.tracks[0].title == "b.wav")
        // Keys that are not the list's are the player's.
        rig.press(.right, " ")
        #expect(rig.runner.nowPlaying?.tracks[0].position == 5)
        #expect(rig.runner.nowPlaying?.isPlaying == false)
        // What was paused stays paused.
        rig.press("1", .enter, "l")
        #expect(rig.runner.nowPlaying?.songs == nil)
        #expect(rig.runner.nowPlaying?.tracks[0].title == "a.wav")
        #expect(rig.runner.nowPlaying?.isPlaying == false)
    }

    @Test func listOfFiles_isThereForSeveralInARow() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"], isInteractive: true)
        rig.press("l")
        #expect(rig.runner.nowPlaying?.songs?.titles == ["a.wav"])
        rig.press(.escape)
        #expect(rig.runner.nowPlaying?.songs == nil)
    }

    @Test(arguments: 0..<100)
    func cursor_inRandomScripts_staysInTheList(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        let count = Int.random(in: 1...300, using: &random)
        var picker = ListPicker(at: Int.random(in: 0..<count, using: &random))
        let keys: [Key] = [.up, .down, .pageUp, .pageDown, .enter, "0", "1", "7", "9", "x"]
        for _ in 0..<200 {
            let (key, before) = (keys.randomElement(using: &random)!, picker.cursor)
            let outcome = picker.press(key, count: count)
            #expect((0..<count).contains(picker.cursor))
            switch key {
            case .enter: #expect(outcome == .chooses(before))
            case "x": #expect(outcome == .passes && picker.cursor == before)
            case .up: #expect(picker.cursor == max(0, before - 1))
            case .pageDown: #expect(picker.cursor == min(count - 1, before + 10))
            default: #expect(outcome == .stays)
            }
            let content = picker.content(count: count, playing: 0) { "\($0)" }
            #expect(content.titles.count <= 200)
            #expect(content.titles[picker.cursor - content.first] == "\(picker.cursor)")
        }
    }
}
