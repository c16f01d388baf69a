import AudioModel
import SessionCore
import Testing

@testable import OpenAudioSession
@testable import audiosession

/// The list of outputs: keys in, picture and choice out.
@Suite struct DevicePickerTests {
    private typealias Rig = PlayRunnerRig

    private static let hdmi = PortFacts(uid: "sim.hdmi", name: "TV", portType: "HDMIOutput", channels: 8)

    /// The open list, a line for each row: cursor, in use, chosen, name and levels.
    private func list(_ rig: Rig) -> [String] {
        rig.runner.readLevels()
        return rig.runner.nowPlaying?.picker?.rows.map { row in
            let name =
                switch row.kind {
                case .automatic(let several): several ? "all" : "automatic"
                case .output(let port): port.name
                case .away(let name): "\(name) (away)"
                }
            let marks = (row.isAtCursor ? ">" : " ") + (row.isInUse ? "~" : " ") + (row.isChosen ? "*" : " ")
            return ([marks + name] + row.levels.map { "\($0)" }).joined(separator: " ")
        } ?? []
    }

    @Test func list_opensOnD_withTheOneInUseAndTheOneChosen() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        #expect(rig.runner.nowPlaying?.picker == nil)
        rig.press(.character("d"))
        rig.backend.players[0].setLevels(["sim.headphones": [0.5, 0.25]])
        #expect(list(rig) == ["> *automatic", " ~ Cans 0.5 0.25", "   Speaker 0.0 0.0"])
        #expect(rig.runner.isMoving)
    }

    @Test func arrowsAndEnter_chooseAnOutput_andTheEventNamesIt() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"], volume: 0.5)
        rig.press(.character("d"), .up, .down, .down, .down)
        #expect(list(rig) == ["  *automatic", " ~ Cans 0.0 0.0", ">  Speaker 0.0 0.0"])
        rig.press(.enter)
        #expect(rig.backend.outputs.choice == .device(uid: "sim.speaker"))
        #expect(list(rig) == ["   automatic", "   Cans 0.0 0.0", ">~*Speaker 0.0 0.0"])
        #expect(rig.story.last == "device chosen: Speaker")
        // The arrows were the list's.
        #expect(rig.backend.players[0].volume == 0.5)
        rig.press(.up, .up, .enter)
        #expect(rig.story.last == "device chosen: automatic; playing on Cans (Headphones)")
    }

    @Test(arguments: [Key.escape, .character("d"), .character("D")])
    func list_closesOnEscapeAndD(key: Key) {
        let rig = Rig(["a.wav": 9], play: ["a.wav"], volume: 0.5)
        rig.press(.character("d"), key)
        #expect(rig.runner.nowPlaying?.picker == nil)
        rig.press(.down)
        #expect(rig.backend.players[0].volume < 0.5)
        // A key that closes nothing does nothing.
        rig.press(.escape, .enter)
        #expect(!rig.runner.isDone)
    }

    @Test func otherKeys_whileTheListIsOpen_doWhatTheyDoElsewhere() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"], isSimulated: true)
        rig.press(.character("d"), .character(" "))
        #expect(rig.runner.nowPlaying?.isPlaying == false)
        rig.press(.character("u"))
        #expect(rig.backend.currentRoute.outputs == [FakeBackend.speaker])
        rig.press(.right)
        #expect(rig.runner.nowPlaying?.tracks[0].position == 5)
        #expect(rig.runner.nowPlaying?.picker != nil)
        rig.press(.character("q"))
        #expect(rig.runner.isDone)
    }

    @Test func list_whileOutputsComeAndGo_followsThemAndKeepsItsCursor() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.press(.character("d"), .down, .down)
        rig.backend.connect([Self.hdmi, FakeBackend.headphones, FakeBackend.speaker])
        #expect(list(rig).map { String($0.prefix(8)) } == ["  *autom", "   TV 0.", " ~ Cans ", ">  Speak"])
        rig.backend.connect([Self.hdmi])
        #expect(list(rig).map { String($0.prefix(8)) } == ["> *autom", "   TV 0."])
    }

    @Test func chosenOutput_whileItIsAway_keepsItsRow() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.press(.character("d"), .down, .down, .enter)
        rig.backend.connect([FakeBackend.headphones])
        #expect(list(rig) == ["   automatic", " ~ Cans 0.0 0.0", "> *Speaker (away)"])
        // To choose what is not there is refused, and said.
        rig.press(.enter)
        #expect(rig.errors.lines == ["audiosession: it is not connected; plug it in."])
    }

    @Test func list_underMultiRoute_beginsWithAll_andAChoiceEndsTheMapByHand() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"]) { plan in
            plan.settings.category = .multiRoute
            plan.channelMap = [1, 0]
        }
        #expect(rig.backend.players[0].channelMap == [1, 0])
        rig.press(.character("d"))
        #expect(list(rig) == ["> *all", " ~ Cans 0.0 0.0", " ~ Speaker 0.0 0.0"])
        rig.press(.down, .enter)
        #expect(rig.backend.players[0].channelMap == nil)
        #expect(rig.backend.outputs.choice == .device(uid: "sim.headphones"))
    }

    @Test func list_whereEachFileHasItsOutput_showsLevelsAndChoosesNothing() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"]) { plan in
            plan.items[0].output = FakeBackend.speaker
            plan.items[1].output = FakeBackend.headphones
        }
        rig.backend.players[0].setLevels(["sim.speaker": [0.5, 0.5]])
        rig.backend.players[1].setLevels(["sim.headphones": [0, 1]])
        rig.press(.character("d"), .enter)
        #expect(list(rig) == [">~ Cans 0.0 1.0", "   Speaker 0.5 0.5"])
        #expect(rig.backend.outputs.choice == .automatic)
        #expect(rig.runner.nowPlaying?.picker?.canChoose == false)
    }
}
