import Testing

@testable import audiosession

/// The list of outputs on terminals of all sizes.
@Suite struct PickerLayoutTests {
    private static let hdmi = PortFacts(uid: "tv", name: "Television 漢字", portType: "HDMIOutput", channels: 8)

    private func picture(cursor: Int = 0, name: String = "Cans") -> NowPlaying {
        var headphones = FakeBackend.headphones
        headphones.name = name
        let rows: [DevicePicker.Content.Row] = [
            .init(kind: .automatic(several: false), isAtCursor: false, isChosen: false, isInUse: false, levels: []),
            .init(kind: .output(headphones), isAtCursor: false, isChosen: true, isInUse: true, levels: [1, 0.001]),
            .init(
                kind: .output(Self.hdmi), isAtCursor: false, isChosen: false, isInUse: false,
                levels: [0, 0.5, 0.25, 0.1, 0, 0, 0, 0]),
            .init(kind: .away(name: "USB"), isAtCursor: false, isChosen: false, isInUse: false, levels: []),
        ]
        var picker = DevicePicker.Content(rows: rows, canChoose: true)
        picker.rows[cursor].isAtCursor = true
        return NowPlaying(
            tracks: [.init(title: "Song", state: .playing, position: 30, duration: 120)], volume: 0.8,
            route: RouteFacts(outputs: [headphones]), isSimulated: false, panel: .outputs(picker), hasKeys: true)
    }

    private func text(_ now: NowPlaying, _ columns: Int, _ rows: Int, _ glyphs: Glyphs = .unicode) -> [String] {
        PlayLayout(glyphs: glyphs).lines(now, size: TerminalSize(columns: columns, rows: rows))
            .map { $0.rendered(inColor: false) }
    }

    @Test func list_onAnOrdinaryTerminal_hasAllColumns() {
        #expect(
            text(picture(cursor: 1), 80, 24).dropFirst(3) == [
                "Outputs  ♪ in use  ● chosen",
                "      automatic",
                "› ♪ ● Cans             Headphones  2 ch  █▁",
                "      Television 漢字  HDMIOutput  8 ch  ·█▇▅····",
                "      USB (not connected)",
                "↑/↓ move   enter choose   d close",
            ])
    }

    @Test func list_withoutUnicode_hasSignsOfASCII() {
        let lines = text(picture(cursor: 1), 80, 24, .ascii)
        #expect(lines[5] == "> ~ * Cans             Headphones  2 ch  @.")
        #expect(lines.filter { !$0.contains("Television") }.allSatisfy { $0.allSatisfy { $0.isASCII } })
    }

    @Test func list_whileTheTerminalIsNarrow_dropsTypesFirstAndKeepsNamesAndLevels() {
        #expect(
            text(picture(), 40, 12)[5...6] == [
                "  ♪ ● Cans             2 ch  █▁", "      Television 漢字  8 ch  ·█▇▅····",
            ])
        #expect(text(picture(), 24, 12)[5...6] == ["  ♪ ● Cans      █▁", "      Televis…  ·█▇▅·"])
    }

    @Test(arguments: 0..<4)
    func list_onALowTerminal_keepsTheRowOfTheCursor(cursor: Int) {
        for rows in 1...6 {
            let lines = text(picture(cursor: cursor), 80, rows)
            #expect(lines.count < max(rows, 2))
            #expect(lines.contains { $0.hasPrefix("›") })
        }
    }

    @Test(arguments: Array(1...100))
    func list_onAnyTerminal_neverWraps(columns: Int) {
        for glyphs in [Glyphs.unicode, .ascii] {
            let layout = PlayLayout(glyphs: glyphs)
            for rows in 1...14 {
                let lines = layout.lines(
                    picture(cursor: 2, name: "A very long name of headphones, 漢字 and all"),
                    size: TerminalSize(columns: columns, rows: rows))
                #expect(lines.count < max(rows, 2))
                #expect(lines.allSatisfy { $0.columns < max(columns, 2) })
            }
        }
    }

    @Test func hostileName_reachesTheTerminalWithoutControls() {
        let lines = text(picture(name: "\u{1B}[2J\nx"), 80, 24)
        #expect(lines[5].hasPrefix("  ♪ ● \u{FFFD}[2J\u{FFFD}x"))
    }

    @Test func filesWithOutputsOfTheirOwn_haveATitleAndABarEach() {
        var now = picture()
        now.panel = .none
        now.tracks[0].output = "TV (HDMIOutput)"
        now.tracks.append(.init(title: "Other", output: "Cans", state: .paused, position: 0, duration: 60))
        #expect(
            text(now, 61, 24, .ascii) == [
                "Song  -> TV (HDMIOutput)", "> 0:30 ##########-------------------------------- 2:00  80 %",
                "Other  -> Cans", "= 0:00 ------------------------------------------ 1:00  80 %",
                "-> Cans (Headphones)", "space pause   left/right seek   ? keys   q quit",
            ])
        // Where there is no room for all, the bars.
        #expect(text(now, 20, 4, .ascii) == ["> 0:30/2:00", "= 0:00/1:00"])
    }
}
