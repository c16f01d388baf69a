import SessionCore
import Testing

@testable import AudioRuntime
@testable import audiosession

@Suite struct LiveTests {
    private let playing = NowPlaying(
        tracks: [.init(title: "Song", state: .playing, position: 30, duration: 120)], volume: 0.8,
        route: RouteFacts(outputs: [FakeBackend.headphones]), isSimulated: false, hasKeys: true)
    private let layout = PlayLayout(glyphs: .ascii)

    private func text(_ now: NowPlaying, columns: Int, rows: Int = 24) -> [String] {
        layout.lines(now, size: TerminalSize(columns: columns, rows: rows)).map { $0.rendered(inColor: false) }
    }

    @Test func picture_onAnOrdinaryTerminal_fillsItButForOneColumn() {
        #expect(
            text(playing, columns: 70) == [
                "Song",
                "> 0:30 \(bar(filled: 12, of: 51)) 2:00  80 %",
                "-> Cans (Headphones)",
                "space pause   left/right seek   up/down volume   ? keys   q quit",
            ])
    }

    @Test(arguments: [
        (NowPlaying.BlockReason.interrupted, "interrupted; space plays now on Cans"),
        (.interruptedForNow, "interrupted; resumes by itself; space plays now on Cans"),
        (.callForNow, "a call is on; resumes when it ends"),
        (.call, "a call is on; nothing plays until it ends"),
        (.refused, "a call is on; nothing plays until it ends; then space plays"),
        (.outputLeft(), "paused: the output was disconnected; space plays on Cans"),
        (.outputLeft(waitsFor: ["Hat"]), "Hat left; resumes when it is back; space plays on Cans"),
        (.opening, "opening"),
        (.serverIsLost, "no connection to the sound server; waiting for it"),
        (.serverWasLost, "the sound server is running again; space plays on Cans"),
        (.outputIsNotPrivate, "waiting for the output that played, or headphones; space plays on Cans"),
    ])
    func blockReason_replacesTheRoute(blockReason: NowPlaying.BlockReason, line: String) {
        var now = playing
        now.blockReason = blockReason
        #expect(text(now, columns: 80)[2] == line)
        now.hasKeys = false
        #expect(!text(now, columns: 80)[2].contains("space"))
    }

    @Test func keys_onTheSimulatedHost_fitAnOrdinaryTerminal() {
        var now = playing
        now.isSimulated = true
        let lines = PlayLayout(glyphs: .unicode).lines(now, size: TerminalSize(columns: 80, rows: 24))
        #expect(
            lines.last?.rendered(inColor: false)
                == "u/p plug  c call  space pause  ←/→ seek  ↑/↓ volume  d device  ? keys  q quit")
    }

    @Test func hint_whileThereIsNoOutput_promisesNoSound() {
        var now = playing
        (now.blockReason, now.route.outputs) = (.outputLeft(), [])
        #expect(text(now, columns: 80)[2] == "paused: the output was disconnected")
    }

    @Test(arguments: [
        (40, "space pause   ? keys   q quit"), (24, "space pause   q quit"), (12, "space pause"),
    ])
    func keys_onANarrowTerminal_areTheMostUseful(columns: Int, line: String) {
        #expect(text(playing, columns: columns).last == line)
    }

    @Test func keys_onAWideTerminal_areAll() {
        var now = playing
        now.canSkip = true
        #expect(
            text(now, columns: 130).last
                == "space pause   left/right seek   n/b next   l list   up/down volume   m mute   [/] speed   d device   "
                + "? keys   q quit")
    }

    @Test func chapter_isBehindTheTitle_asFarAsItFits() {
        var now = playing
        now.tracks[0].title = "Book"
        now.tracks[0].place = "2 of 5"
        now.tracks[0].chapter = "3/9 A long night\u{1B}[2J"
        now.hasChapters = true
        #expect(text(now, columns: 80)[0] == "Book  3/9 A long night\u{FFFD}[2J  2 of 5")
        #expect(text(now, columns: 40)[0] == "Book  3/9 A long n...  2 of 5")
        #expect(text(now, columns: 20)[0] == "Book  2 of 5")
        #expect(text(now, columns: 130).last?.contains(",/. chapter") == true)
        now.panel = .keys(ListPicker())
        #expect(text(now, columns: 80, rows: 30).contains { $0.contains("previous chapter, next chapter") })
    }

    @Test func factsOfTheFile_areBelowTheTitle_whereThereIsRoom() {
        var now = playing
        now.tracks[0].facts = "Album  FLAC, 16 bit, 44.1 kHz"
        (now.isRepeating, now.isShuffled) = (true, true)
        #expect(text(now, columns: 70).prefix(2) == ["Song  repeat  shuffle", "Album  FLAC, 16 bit, 44.1 kHz"])
        #expect(text(now, columns: 70, rows: 5).count == 4)
        #expect(!text(now, columns: 70, rows: 5).contains { $0.contains("Album") })
    }

    /// 40 columns and 10 rows have less room than there are keys.
    @Test func keys_onASmallTerminal_scroll() {
        var now = playing
        var picker = ListPicker()
        now.panel = .keys(picker)
        let count = PlayKey.all(for: now, .ascii).count
        var seen: Set<String> = []
        for place in 1...count {
            let lines = text(now, columns: 40, rows: 10)
            #expect(lines.count == 9)
            #expect(lines[3].hasPrefix("Keys  \(place) of \(count)   up/down move"))
            #expect(lines.contains { $0.hasPrefix(">  ") } || place == count)
            seen.formUnion(lines.dropFirst(4).map { String($0.dropFirst()) })
            #expect(picker.press(.down, count: count) == .stays)
            now.panel = .keys(picker)
        }
        #expect(seen.count == count)
        #expect(seen.contains { $0.hasSuffix("quit") })
    }

    @Test func files_ofALongQueue_areThoseAroundTheCursor() {
        var now = playing
        let picker = ListPicker(at: 50_000)
        now.panel = .songs(picker.content(count: 100_000, playing: 50_001) { "\u{1B}[2J \($0)" })
        let lines = text(now, columns: 40, rows: 10)
        #expect(
            lines.suffix(6) == [
                "Files  50001 of 100000   up/down mov...", "    49999  \u{FFFD}[2J 49998",
                "    50000  \u{FFFD}[2J 49999", ">   50001  \u{FFFD}[2J 50000", "  ~ 50002  \u{FFFD}[2J 50001",
                "    50003  \u{FFFD}[2J 50002",
            ])
    }

    @Test func longTitle_leavesRoomForItsPlace() {
        var now = playing
        now.tracks[0].title = String(repeating: "long ", count: 30)
        now.tracks[0].place = "2 of 5"
        for columns in [30, 40, 80, 120] {
            #expect(text(now, columns: columns)[0].hasSuffix("...  2 of 5"))
            #expect(text(now, columns: columns)[0].count == columns - 1)
        }
    }

    @Test func muteAndSpeed_areBesideTheBar() {
        var now = playing
        (now.isMuted, now.speed) = (true, 1.5)
        #expect(text(now, columns: 70)[1].hasSuffix(" 2:00  muted  1.5x"))
    }

    private func bar(filled: Int, of width: Int) -> String {
        String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    }

    @Test(arguments: Array(1...100))
    func picture_onAnyTerminal_neverWraps(columns: Int) {
        var now = playing
        now.tracks[0].title = "漢字の長い題名 with a long tail"
        now.tracks[0].place = "2 of 12"
        now.isSimulated = true
        for rows in 1...6 {
            let lines = layout.lines(now, size: TerminalSize(columns: columns, rows: rows))
            #expect(lines.count < max(rows, 2))
            #expect(lines.allSatisfy { $0.columns < max(columns, 2) })
        }
    }

    @Test func bar_whileTheTerminalIsNarrow_givesWayToTheTimes() {
        #expect(text(playing, columns: 20)[1] == "> 0:30/2:00")
        #expect(text(playing, columns: 20, rows: 2) == ["> 0:30/2:00"])
    }

    @Test func bar_withoutADuration_isEmpty() {
        var now = playing
        now.tracks[0].duration = 0
        #expect(text(now, columns: 40)[1] == "> 0:30 \(bar(filled: 0, of: 21)) -:--  80 %")
    }

    @Test func hostileTitle_reachesTheTerminalWithoutControls() {
        var now = playing
        now.tracks[0].title = "\u{1B}[2Jpwned\n\u{202E}"
        #expect(text(now, columns: 60)[0] == "\u{FFFD}[2Jpwned\u{FFFD}\u{FFFD}")
    }

    @Test func color_isAroundTheTextOnly() {
        let line = StyledLine("Song", .bold)
        #expect(line.rendered(inColor: true) == "\u{1B}[1mSong\u{1B}[0m")
        #expect(line.rendered(inColor: false) == "Song")
    }

    @Test func region_whilePaintedAgain_replacesItsRows() {
        var region = LiveRegion()
        let lines = [StyledLine("one"), StyledLine("two")]
        #expect(region.paint(lines, columns: 80, inColor: false) == "one\r\ntwo")
        #expect(region.paint(lines, columns: 80, inColor: false) == "")
        #expect(region.paint([StyledLine("three")], columns: 80, inColor: false) == "\r\u{1B}[1A\u{1B}[Jthree")
        #expect(region.erase(columns: 80) == "\r\u{1B}[J")
        #expect(region.erase(columns: 80) == "")
    }

    @Test func region_afterTheTerminalBecameNarrower_countsTheRowsThatWrapped() {
        var region = LiveRegion()
        _ = region.paint([StyledLine("0123456789"), StyledLine("ab")], columns: 80, inColor: false)
        // 10 columns fill 3 rows of 4, the last line one: three rows up from it.
        #expect(region.erase(columns: 4) == "\r\u{1B}[3A\u{1B}[J")
    }

    @Test func event_whileThePictureIsUp_scrollsAboveIt() {
        let (output, errors) = (CapturedOutput(), CapturedOutput())
        let display = Display(
            output: output, errors: errors,
            style: .live(.ascii, inColor: false, size: { TerminalSize(columns: 30, rows: 3) }))
        // Longer lines break at a word.
        display.update { [playing] in PlayLayout(glyphs: $1).lines(playing, size: $0) }
        let picture = output.take()
        display.show(Event(time: 2, fact: .player(.init(transport: .init(.paused), position: 30), file: "s.wav")))
        let lines = "[0:02.000] paused s.wav at\n           0:30\n"
        #expect(output.take() == "\r\u{1B}[1A\u{1B}[J" + lines + picture)
        display.show(
            Event(time: 3, fact: .error(BackendError(code: .program(.unreachable), message: "bad\u{1B}"), file: nil)))
        #expect(output.take() == "\r\u{1B}[1A\u{1B}[J" + picture)
        #expect(errors.take() == "audiosession: bad\u{FFFD}\n")
        display.clear()
        #expect(output.take() == "\r\u{1B}[1A\u{1B}[J")
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], Glyphs.unicode), (["LANG": "C"], .ascii), ([:], .ascii),
        (["LC_ALL": "C", "LANG": "en_US.utf8"], .ascii),
        (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], .unicode),
    ])
    func glyphs_followTheLocale(environment: [String: String], glyphs: Glyphs) {
        #expect(Glyphs.forLocale(environment) == glyphs)
    }
}
