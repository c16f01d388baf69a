import Foundation
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import audiosession

/// A run of `record` on a fake backend: keys and events in, lines out.
@Suite struct RecordTests {
    private static let microphone = PortFacts(
        uid: "sim.mic", name: "Mic", portType: "MicrophoneBuiltIn", channels: 1)

    private static let headset = PortFacts(uid: "usb", name: "Headset", portType: "USBAudio", channels: 1)

    private final class Rig {
        let backend = FakeBackend(files: [:])
        let output = CapturedOutput()
        let errors = CapturedOutput()
        let runner: RecordRunner
        private let inbox = Inbox<RunInput<FileRecorder.Status>>()

        init(
            path: String = "/nowhere/take.wav", duration: Double? = nil, hasInput: Bool = true,
            overwrites: Bool = false,
            format: RecordFormat = RecordFormat(), input: String? = nil, lacksSessionManager: Bool = false,
            isInteractive: Bool = false
        ) {
            backend.lacksSessionManager = lacksSessionManager
            if hasInput { backend.setInputs([RecordTests.microphone, RecordTests.headset]) }
            let display = Display(output: output, errors: errors, style: .text(arrow: "->"))
            runner = RecordRunner(
                RunContext(
                    backend: backend, log: EventLog(display: display), isInteractive: isInteractive,
                    deliver: { [inbox] in inbox.post($0) }),
                plan: RecordPlan(path: path, duration: duration, overwrites: overwrites, format: format, input: input))
            runner.begin()
            settle()
        }

        func settle() { for input in inbox.take() { runner.handle(input) } }

        func press(_ keys: Key...) {
            for key in keys {
                runner.handle(.key(key))
                settle()
            }
        }

        /// The lines after the first, without their times.
        var story: [String] { output.lines.dropFirst().map { String($0.drop { $0 != "]" }.dropFirst(2)) } }
    }

    @Test func keys_pauseGoOnAndStop_andTheLengthStaysWhatWasAsked() {
        let rig = Rig(duration: 10)
        rig.backend.recorders[0].run(seconds: 4)
        rig.press(.character(" "), .character(" "), .character("q"))
        #expect(
            rig.story == [
                "recording /nowhere/take.wav at 0:00", "paused /nowhere/take.wav at 0:04",
                "recording /nowhere/take.wav at 0:04", "finished /nowhere/take.wav, 0:04",
            ])
        #expect(rig.backend.recorders[0].limits == [10, 6])
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    /// A script waits for the end.
    @Test func silentInput_endsARecordingOfALength() {
        let rig = Rig(duration: 1)
        #expect(rig.runner.wakeSeconds != nil)
        rig.backend.recorders[0].standStill()
        rig.settle()
        #expect(rig.errors.lines.last?.contains("The recording ends if none has come 5 s after its begin.") == true)
        rig.runner.wake()
        rig.settle()
        #expect(rig.runner.isDone)
        #expect(rig.backend.recorders[0].status.state == .finished)
    }

    @Test func inputThatFallsSilent_endsARecordingOfALength_withAnError() {
        let rig = Rig(duration: 60)
        for _ in 0..<3 {
            rig.backend.recorders[0].run(seconds: 5)
            rig.runner.wake()
        }
        // A pause is no silence.
        rig.press(.character(" "))
        rig.runner.wake()
        rig.press(.character(" "))
        rig.settle()
        #expect(!rig.runner.isDone && rig.runner.wakeSeconds != nil)
        rig.runner.wake()
        rig.settle()
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.errors.lines.last?.contains("no sound has come from") == true)
        #expect(rig.errors.lines.last?.contains("has 0:15 of 1:00") == true)
    }

    @Test(arguments: [(nil, false), (10, true)] as [(Double?, Bool)])
    func silentInput_isWaitedFor_withoutALength_andInATerminal(duration: Double?, isInteractive: Bool) {
        let rig = Rig(duration: duration, isInteractive: isInteractive)
        #expect(rig.runner.wakeSeconds == nil)
    }

    @Test func signal_stopsTheRecording() {
        let rig = Rig()
        rig.runner.handle(.signal(.leave))
        rig.settle()
        #expect(rig.story.last == "finished /nowhere/take.wav, 0:00")
        #expect(rig.runner.isDone)
    }

    @Test(arguments: [
        (FileRecorder.Cause.newDeviceAvailable, "a device was connected"),
        (.oldDeviceUnavailable, "a device was disconnected"),
        (.noSuitableRoute, "no input is connected"),
    ])
    func deviceThatComesOrGoes_endsTheRecording_andIsNoError(cause: FileRecorder.Cause, words: String) {
        let rig = Rig()
        rig.backend.recorders[0].run(seconds: 2)
        rig.backend.recorders[0].change(to: .finished, cause)
        rig.settle()
        #expect(rig.story.last == "finished /nowhere/take.wav, 0:02: \(words)")
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    @Test func failure_isNamedAndIsAnError() {
        let rig = Rig()
        rig.backend.recorders[0].change(to: .failed, .error, message: "the disk is full; make room.")
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: the disk is full; make room."])
        #expect(rig.runner.hasFailed)
    }

    @Test(arguments: [
        (String?.none, "the sound server stopped; try again when it runs ('audiosession doctor' checks it)."),
        ("the limit", "the connection to the sound server is lost: the limit. Then try again."),
    ])
    func lossOfTheServer_isNamedWithItsReason(reason: String?, words: String) {
        let rig = Rig()
        rig.backend.loseServer(because: reason)
        rig.backend.recorders[0].run(seconds: 4)
        rig.backend.recorders[0].lose()
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: \(words) The file has everything up to that point."])
        #expect(rig.runner.hasFailed)
    }

    @Test func lossOfTheServer_beforeTheFirstFrame_saysThatNothingWasRecorded() {
        let rig = Rig()
        rig.backend.loseServer()
        rig.backend.recorders[0].lose()
        rig.settle()
        #expect(rig.errors.lines.count == 1)
        #expect(rig.errors.lines.first?.hasSuffix("('audiosession doctor' checks it). Nothing was recorded.") == true)
    }

    @Test func silence_isSaidWhileTheRecordingStandsAtZero_andEndsNothing() {
        let rig = Rig()
        rig.backend.recorders[0].standStill()
        rig.settle()
        #expect(
            rig.errors.lines == [
                "audiosession: no sound comes from Mic (MicrophoneBuiltIn), and the recording is still empty; check the device, "
                    + "or choose another input with --input. The recording begins when sound comes."
            ])
        #expect(!rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
        #expect(rig.story == ["recording /nowhere/take.wav at 0:00"])
    }

    @Test func noInput_isAnErrorBeforeAnyFile() {
        let rig = Rig(hasInput: false)
        #expect(
            rig.errors.lines == [
                "audiosession: no input is connected; connect a microphone and try again ('audiosession route' lists all "
                    + "ports)."
            ])
        #expect(rig.backend.recorders.isEmpty)
        #expect(rig.runner.hasFailed)
    }

    @Test func noInput_withoutASessionManager_namesThatAsTheReason() {
        let rig = Rig(hasInput: false, input: "Mic", lacksSessionManager: true)
        #expect(
            rig.errors.lines == [
                "audiosession: no session manager is running, so an input cannot be used; start one (systemctl --user start "
                    + "wireplumber). Then record again."
            ])
        #expect(rig.backend.recorders.isEmpty)
        #expect(rig.runner.hasFailed)
    }

    @Test(arguments: [(true, "Then press space."), (false, "Then end this recording and record again.")])
    func sessionManagerThatIsMissing_isNamedAsTheReason(isInteractive: Bool, next: String) {
        let rig = Rig(lacksSessionManager: true, isInteractive: isInteractive)
        rig.backend.post(.interruptionBegan(reason: .default))
        rig.settle()
        #expect(
            rig.errors.lines == [
                "audiosession: no session manager is running, so the input cannot be used; start one (systemctl --user "
                    + "start wireplumber). \(next)"
            ])
        #expect(!rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    @Test func input_isChosenByItsName_andTheFormatIsPassedOn() {
        let format = RecordFormat(fileExtension: "flac", sampleRate: 44_100, channelCount: 2)
        let rig = Rig(format: format, input: "headset")
        #expect(rig.backend.currentRoute.inputs == [Self.headset])
        #expect(rig.backend.recorders.map(\.format) == [format])
    }

    @Test func inputThatIsNotThere_isNamedWithThoseThatAre() {
        let rig = Rig(input: "Hedset")
        #expect(
            rig.errors.lines == [
                "audiosession: there is no input 'Hedset'. Did you mean 'Headset'? Connected inputs: 'Mic' (uid sim.mic), "
                    + "'Headset' (uid usb). Give the name or uid of one."
            ])
        #expect(rig.backend.recorders.isEmpty)
        #expect(rig.runner.hasFailed)
    }

    @Test func fileThatIsThere_isNotReplacedUnlessToldTo() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data().write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let rig = Rig(path: path)
        #expect(
            rig.errors.lines == [
                "audiosession: the file '\(path)' already exists; choose another name or use --overwrite."
            ])
        #expect(rig.backend.recorders.isEmpty)
        #expect(Rig(path: path, overwrites: true).backend.recorders.count == 1)
    }

    // MARK: Live content

    private let now = NowRecording(
        state: .playing, duration: 62, input: "Mic (MicrophoneBuiltIn)", levels: [1, 0.1, 0], hasKeys: true)

    @Test func picture_hasAMeterForEachChannel() {
        let lines = RecordLayout(glyphs: .ascii).lines(now, size: TerminalSize(columns: 31, rows: 24))
        #expect(
            lines.map { $0.rendered(inColor: false) } == [
                "* 1:02  Mic (MicrophoneBuil...", "#################### 0 dB", "#############------- -20 dB",
                "-------------------- silent", "space pause   q stop",
            ])
    }

    @Test func picture_saysThatNoSoundHasCome() {
        var now = now
        (now.duration, now.levels) = (0, [])
        let lines = RecordLayout(glyphs: .ascii).lines(now, size: TerminalSize(columns: 80, rows: 24))
        #expect(lines.first?.rendered(inColor: false) == "* 0:00  Mic (MicrophoneBuiltIn)  no sound yet")
    }

    @Test(arguments: Array(1...100))
    func picture_onAnyTerminal_neverWraps(columns: Int) {
        for rows in 1...6 {
            let lines = RecordLayout(glyphs: .unicode).lines(now, size: TerminalSize(columns: columns, rows: rows))
            #expect(lines.count < max(rows, 2))
            #expect(lines.allSatisfy { $0.columns < max(columns, 2) })
        }
    }
}
