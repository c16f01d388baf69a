import Foundation
import PipeWireRig
import Testing

/// `audiosession play` with a chosen output, measured at the sinks.
@Suite("audiosession play chooses outputs on PipeWire", .ownThread, .serialized)
struct OutputTests {
    private static let mapped = ["FL", "FR", "RL", "RR"]

    /// A machine with a television beside the speaker and the headset, which stays the default.
    private func machine() throws -> (TestMachine, television: VirtualSink) {
        let machine = try TestMachine()
        return (machine, try Self.makeTelevision(machine))
    }

    private static func makeTelevision(_ machine: TestMachine, channels: [String] = ["FL", "FR"]) throws -> VirtualSink
    {
        try machine.server.makeSink(
            name: "tv", description: "TV", formFactor: "tv", bus: "pci", channels: channels, priority: 600,
            capturing: .seconds(1))
    }

    // MARK: --to

    @Test func to_playsEachFileOnItsOutputAndOnNoOther() throws {
        let (machine, television) = try machine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 3, named: "a.wav", level: 0.5), "--to", "HDMI",
            try machine.tone(seconds: 4, named: "b.wav", level: 0.2), "--to", "usb headset", "--events", "json")
        try television.meter.wait(loudFrames: 48_000)
        try machine.headset.meter.wait(loudFrames: 48_000)
        #expect(try run.waitForEnd() == .exited(0))

        // 1 % for the tone's dither; with both files on one sink it would be 0.7.
        #expect(abs(television.meter.reading.peak - 0.5) < 0.01)
        #expect(abs(machine.headset.meter.reading.peak - 0.2) < 0.01)
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        // Each file has a queue of its own, and either may open first.
        #expect(run.story.dropFirst().prefix(2).sorted() == ["playing (user) a.wav", "playing (user) b.wav"])
        #expect(run.story.suffix(2) == ["finished (endOfFile) a.wav", "finished (endOfFile) b.wav"])
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }

    @Test func to_theSpeaker_playsThereBesideAnotherOutput() throws {
        let (machine, television) = try machine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 60, named: "a.wav", level: 0.5), "--to", "Speaker",
            try machine.tone(seconds: 60, named: "b.wav", level: 0.2), "--to", "tv", "--events", "json")
        try machine.speaker.meter.wait(loudFrames: 24_000)
        try television.meter.wait(loudFrames: 24_000)
        #expect(abs(machine.speaker.meter.reading.peak - 0.5) < 0.01)
        #expect(abs(television.meter.reading.peak - 0.2) < 0.01)
        // No file names it.
        #expect(machine.headset.meter.reading.loudFrames == 0)
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(try run.faults() == [])
    }

    @Test func to_whileOneOutputLeaves_playsOnOnTheOtherAlone() throws {
        let (machine, television) = try machine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 60, named: "a.wav", level: 0.5), "--to", "tv",
            try machine.tone(seconds: 60, named: "b.wav", level: 0.2), "--to", "usb-headset", "--events", "json",
            "--on-unplug", "continue")
        try television.meter.wait(loudFrames: 24_000)
        try machine.headset.meter.wait(loudFrames: 24_000)
        television.destroy()
        try run.wait(forLine: "the loss") { $0.contains("oldDeviceUnavailable") || $0.contains("was disconnected") }
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 24_000)
        // Nothing of the file that has lost its output.
        #expect(abs(machine.headset.meter.reading.peak - 0.2) < 0.01)
        // It waits, and resumes when its output returns.
        let again = try Self.makeTelevision(machine)
        try again.meter.wait(loudFrames: 24_000)
        #expect(abs(again.meter.reading.peak - 0.5) < 0.01)
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(try run.faults() == [])
    }

    @Test(arguments: [
        (["--to", "HDMI", "B", "--to", "tv"], "'TV' is assigned to both"),
        (["--to", "nowhere", "B", "--to", "tv"], "there is no output 'nowhere'. Connected outputs: "),
    ])
    func to_withImpossibleOutputs_isAnErrorBeforeAnySound(arguments: [String], words: String) throws {
        let (machine, television) = try machine()
        let files = [try machine.tone(seconds: 1, named: "a.wav"), try machine.tone(seconds: 1, named: "b.wav")]
        let run = try ToolRun(
            ["play", files[0]] + arguments.map { $0 == "B" ? files[1] : $0 }, environment: machine.environment)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(television.meter.reading.loudFrames == 0)
    }

    // MARK: --channel-map

    @Test func channelMap_isHeardOnTheChosenChannelsOnly() throws {
        let machine = try TestMachine()
        let television = try Self.makeTelevision(machine, channels: Self.mapped)
        let file = try machine.tone(seconds: 60, level: 0.5)
        // The server decides which of the two is first: the error for a map of a wrong size names the order.
        let question = try machine.run("play", file, "--multi-route", "--channel-map", "0")
        #expect(try question.waitForEnd() == .exited(1))
        #expect(question.errors.contains("has 1 entry, and the output needs 6"), "\(question.errors)")
        let isHeadsetFirst = question.errors.contains("\"USB Headset\" left, right; \"TV\"")
        let run = try machine.run(
            "play", file, "--multi-route", "--channel-map", isHeadsetFirst ? "-1,-1,-1,0,-1,1" : "-1,0,-1,1,-1,-1",
            "--events", "json")
        try television.meter.wait(loudFrames: 24_000)
        let loudness = television.meter.capturedSamples().map { $0.map(abs).max() ?? 0 }
        #expect(loudness.map { ($0 * 10).rounded() / 10 } == [0, 0.5, 0, 0.5], "\(loudness)")
        #expect(loudness[0] == 0 && loudness[2] == 0)
        #expect(machine.headset.meter.reading.loudFrames == 0)

        // Without the television the map no longer fits.
        television.destroy()
        try run.wait(forLine: "the reset") { $0.contains(#""event":"channelMapReset""#) }
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(try run.faults() == [])
    }

    // MARK: --device and --port-type

    @Test(arguments: [["--device", "TV"], ["--port-type", "HDMI"]])
    func chosenOutput_isFollowedAwayAndBack(option: [String]) throws {
        let (machine, television) = try machine()
        let run = try ToolRun(
            ["play", try machine.tone(seconds: 60), "--on-unplug", "continue", "--events", "json"] + option,
            environment: machine.environment)
        try run.wait(for: "playing (user) tone.wav")
        try television.meter.wait(loudFrames: 24_000)
        #expect(machine.headset.meter.reading.loudFrames == 0)
        // It falls back to the output that it would use without a choice.
        television.destroy()
        try run.wait(for: "oldDeviceUnavailable: TV -> USB Headset")
        try machine.headset.meter.wait(loudFrames: 24_000)
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        let again = try Self.makeTelevision(machine)
        try run.wait(for: "newDeviceAvailable: USB Headset -> TV")
        try again.meter.wait(loudFrames: 24_000)
        machine.headset.meter.mark()
        try again.meter.wait(loudFrames: 48_000)
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(
            run.story == [
                "started on pipewire, TV", "deviceChosen: TV", "playing (user) tone.wav",
                "oldDeviceUnavailable: TV -> USB Headset", "newDeviceAvailable: USB Headset -> TV",
            ])
        #expect(try run.faults() == [])
    }

    // MARK: Key d

    @Test func outputChosenInTheList_isWhereTheSoundGoes() throws {
        let machine = try TestMachine()
        let terminal = try PseudoTerminal()
        let run = try ToolRun(
            ["play", try machine.tone(seconds: 60)], environment: machine.environment, in: terminal)
        try machine.headset.meter.wait(loudFrames: 4800)
        machine.speaker.meter.mark()
        run.type("d")
        _ = try run.wait(forRow: "the list", from: 0) { $0.contains("› ") && $0.contains("automatic") }
        // The session decides the position of the speaker.
        var name = "automatic"
        while name != "Speaker" {
            let start = run.output.unicodeScalars.count
            run.type("\u{1B}[B")
            let row = try run.wait(forRow: "the cursor on the next row", from: start) {
                $0.contains("› ") && !$0.contains(name)
            }
            name = row.contains("Speaker") ? "Speaker" : "USB Headset"
        }
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        run.type("\r")
        try run.wait(forOutput: "device chosen: Speaker")
        try run.wait(forOutput: "now on Speaker")
        try machine.speaker.meter.wait(loudFrames: 24_000)
        machine.headset.meter.mark()
        try machine.speaker.meter.wait(loudFrames: 48_000)
        #expect(machine.headset.meter.reading.loudFrames == 0)
        let start = run.output.unicodeScalars.count
        run.type("\u{1B}")
        try run.wait(forOutput: "d device", from: start)
        run.type("q")
        #expect(try run.waitForEnd() == .exited(0))
    }

}
