import AudioFiles
import Foundation
import PipeWireRig
import TestAudio
import Testing

/// `audiosession record` on a private PipeWire.
@Suite("audiosession record on PipeWire", .ownThread, .serialized)
struct RecordTests {
    /// A machine with a microphone whose tone has half of full scale.
    private func machine() throws -> (TestMachine, microphone: VirtualSource) {
        let machine = try TestMachine()
        let microphone = try machine.server.makeSource(
            name: "mic", description: "Mic", formFactor: "microphone", bus: "usb", channels: ["MONO"])
        microphone.play(frames: nil)
        return (machine, microphone)
    }

    /// The file's channels, frames, and greatest magnitude.
    private func read(_ path: String) throws -> (channels: Int, frames: Int, peak: Float) {
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        var samples = [Float](repeating: 0, count: 4096 * reader.info.channels.count)
        var (frames, peak) = (0, Float(0))
        while true {
            let count = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            if count == 0 { return (reader.info.channels.count, frames, peak) }
            frames += count
            peak = max(peak, samples.prefix(count * reader.info.channels.count).map(abs).max() ?? 0)
        }
    }

    @Test func record_forALength_writesAFileOfThatLengthWithWhatTheMicrophoneHears() throws {
        let (machine, microphone) = try machine()
        let path = machine.directory.path("take.wav")
        let run = try machine.run("record", path, "--duration", "1", "--events", "json")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.story.dropFirst() == ["recorder recording (user)", "recorder finished (endOfRecording)"])
        #expect(try run.faults() == [])
        let file = try read(path)
        #expect(file.channels == 1)
        #expect(file.frames == 48_000)
        // 16-bit steps.
        #expect(abs(file.peak - 0.5) < 0.001)
        withExtendedLifetime(microphone) {}
    }

    /// A file that is opened under the number of a closed descriptor would have the program's lines in it.
    @Test(arguments: ["exec >&-", "exec <&- 2>&-", "exec <&- >&- 2>&-"])
    func record_whileItsOutputIsClosed_writesTheSoundAlone(prelude: String) throws {
        let (machine, microphone) = try machine()
        let path = machine.directory.path("take.wav")
        let run = try ToolRun(
            ["record", path, "--duration", "1"], environment: machine.environment, after: prelude)
        #expect(try run.waitForEnd() == .exited(0), "\(run.errors)")
        #expect(run.errors == "")
        #expect(try read(path).frames == 48_000)
        withExtendedLifetime(microphone) {}
    }

    /// Loopbacks and filters make sources of this class, as the sound server of PulseAudio's programs does.
    @Test func record_fromAVirtualSource_writesAFileOfThatLength() throws {
        let machine = try TestMachine()
        try machine.server.run([
            "pw-cli", "create-node", "adapter",
            "{ factory.name=support.null-audio-sink node.name=vmic node.description=Clean media.class=Audio/Source/Virtual "
                + "object.linger=true audio.channels=1 audio.position=[ MONO ] }",
        ])
        let path = machine.directory.path("take.wav")
        let run = try machine.run("record", path, "--input", "vmic", "--duration", "1", "--events", "json")
        #expect(try run.waitForEnd() == .exited(0), "\(run.errors)")
        #expect(try read(path).frames == 48_000)
    }

    @Test func record_whileADeviceComes_stopsWithACompleteFile() throws {
        let (machine, microphone) = try machine()
        let path = machine.directory.path("take.flac")
        let run = try machine.run("record", path, "--events", "json")
        try run.wait(for: "recorder recording (user)")
        try machine.server.waitUntil("the recorder hears the microphone") { !$0.targets(of: "mic").isEmpty }
        // One second of the graph's time, most of which is recorded.
        machine.headset.meter.mark()
        try machine.headset.meter.wait(frames: 48_000)
        let other = try machine.server.makeSource(
            name: "mic2", description: "Other", formFactor: "microphone", bus: "usb", channels: ["MONO"], priority: 2100
        )
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.story.contains("recorder finished (newDeviceAvailable)"))
        #expect(try run.faults() == [])
        let file = try read(path)
        #expect(file.frames > 12_000)
        #expect(abs(file.peak - 0.5) < 0.001)
        withExtendedLifetime((microphone, other)) {}
    }

    /// A microphone, "late", that comes after the session manager's end.
    private func connectMicrophoneWithoutPorts(_ machine: TestMachine) throws {
        let properties =
            "{ factory.name=support.null-audio-sink node.name=late node.description=Late media.class=Audio/Source "
            + "object.linger=true device.bus=usb audio.channels=1 audio.position=[ MONO ] }"
        try machine.server.run(["pw-cli", "create-node", "adapter", properties])
    }

    @Test func record_withoutASessionManager_saysSo() throws {
        let machine = try TestMachine()
        try machine.server.killSessionManager()
        let path = machine.directory.path("take.wav")
        let nothing = try machine.run("record", path)
        #expect(try nothing.waitForEnd() == .exited(1))
        #expect(nothing.errors.hasPrefix("audiosession: no session manager is running, so an input cannot be used"))
        try connectMicrophoneWithoutPorts(machine)
        let run = try machine.run("record", path, "--input", "late", "--events", "json")
        try run.wait(forLine: "the reason") { $0.contains("\"noSessionManager\"") }
        #expect(run.story.contains("interruption began (default)"))
        #expect(try run.faults() == [])
        run.send(SIGTERM)
        // Nothing was recorded.
        #expect(try run.waitForEnd() == .exited(1))
    }

    /// The source stays where it is: its ports outlive the session manager.
    @Test func record_overTwoSessionManagers_goesOn() throws {
        let (machine, microphone) = try machine()
        let path = machine.directory.path("take.wav")
        let run = try machine.run("record", path, "--events", "json")
        try run.wait(for: "recorder recording (user)")
        for _ in 0..<2 {
            try machine.server.restartSessionManager()
            // As long again, in the graph's time.
            machine.headset.meter.mark()
            try machine.headset.meter.wait(frames: 48_000)
        }
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.story.dropFirst() == ["recorder recording (user)", "recorder finished (user)"], "\(run.output)")
        let file = try read(path)
        #expect(file.frames > 48_000)
        #expect(abs(file.peak - 0.5) < 0.001)
        withExtendedLifetime(microphone) {}
    }

    // MARK: Files that are there

    /// A link to a file in a directory of its own.
    private func linkedFile(_ machine: TestMachine) throws -> (link: String, directory: String, target: String) {
        let directory = machine.directory.path("takes")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let target = try TestFile.write(bytes: Array("old".utf8), named: "takes/take.wav", in: machine.directory)
        let link = machine.directory.path("link.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "takes/take.wav")
        return (link, directory, target)
    }

    private func expectUnchanged(
        _ file: (link: String, directory: String, target: String), sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let manager = FileManager.default
        #expect(manager.contents(atPath: file.target) == Data("old".utf8), sourceLocation: sourceLocation)
        #expect(try manager.contentsOfDirectory(atPath: file.directory) == ["take.wav"], sourceLocation: sourceLocation)
        #expect(
            try manager.destinationOfSymbolicLink(atPath: file.link) == "takes/take.wav", sourceLocation: sourceLocation
        )
    }

    @Test func record_overAFile_duringACall_leavesTheFileAsItWas() throws {
        let (machine, microphone) = try machine()
        let file = try linkedFile(machine)
        let call = try machine.run("call", "--duration", "60", "--events", "json")
        try call.wait(forLine: "the ring tone") { $0.contains("\"playing\"") }
        for path in [file.link, file.target] {
            let run = try machine.run("record", path, "--overwrite")
            #expect(try run.waitForEnd() == .exited(1))
            #expect(run.errors == "audiosession: a call is on; nothing else plays or records until it ends.\n")
            try expectUnchanged(file)
        }
        withExtendedLifetime((microphone, call)) {}
    }

    /// No frame comes from a microphone without ports.
    @Test(arguments: [SIGTERM, SIGKILL])
    func record_overAFile_thatEndsBeforeItsFirstFrame_leavesTheFileAsItWas(signal: Int32) throws {
        let machine = try TestMachine()
        try machine.server.killSessionManager()
        try connectMicrophoneWithoutPorts(machine)
        let file = try linkedFile(machine)
        let run = try machine.run("record", file.link, "--overwrite", "--input", "late", "--events", "json")
        try run.wait(forLine: "the reason") { $0.contains("\"noSessionManager\"") }
        run.send(signal)
        #expect(try run.waitForEnd() == (signal == SIGKILL ? .killed(bySignal: SIGKILL) : .exited(1)))
        #expect(signal == SIGKILL || run.errors.contains("; the file of this name was not changed. Check"))
        try expectUnchanged(file)
    }

    @Test func record_overAFile_replacesItAtItsFirstFrame_andKeepsTheLinkAndThePermissions() throws {
        let (machine, microphone) = try machine()
        let file = try linkedFile(machine)
        #expect(chmod(file.target, 0o640) == 0)
        let run = try machine.run("record", file.link, "--overwrite", "--duration", "1")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.errors == "")
        #expect(try read(file.target).frames == 48_000)
        var status = stat()
        #expect(lstat(file.target, &status) == 0)
        #expect(status.st_mode == S_IFREG | 0o640)
        let manager = FileManager.default
        #expect(try manager.contentsOfDirectory(atPath: file.directory) == ["take.wav"])
        #expect(try manager.destinationOfSymbolicLink(atPath: file.link) == "takes/take.wav")
        withExtendedLifetime(microphone) {}
    }

    @Test func record_atTheLimitOfFileSizes_endsWithAnErrorThatNamesTheFile() throws {
        let (machine, microphone) = try machine()
        let path = machine.directory.path("take.wav")
        // In blocks of 512 bytes: half a second.
        let run = try ToolRun(["record", path], environment: machine.environment, after: "ulimit -f 100")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors.hasPrefix("audiosession: \"\(path)\" cannot be written to its end: File too large."),
            "\(run.errors)")
        withExtendedLifetime(microphone) {}
    }

    // Behaviour 101
    @Test func record_thatIsKilled_isReadableHereAndByOthers() throws {
        let (machine, microphone) = try machine()
        for suffix in ["wav", "rf64", "w64", "aiff", "caf", "au", "flac", "ogg", "opus", "mp3", "m4a", "aac"] {
            let path = machine.directory.path("take.\(suffix)")
            let run = try machine.run("record", path, "--events", "json")
            try run.wait(for: "recorder recording (user)")
            try machine.server.waitUntil("the recorder hears the microphone") { !$0.targets(of: "mic").isEmpty }
            // Two seconds of the graph's time.
            machine.headset.meter.mark()
            try machine.headset.meter.wait(frames: 96_000)
            run.send(SIGKILL)
            #expect(try run.waitForEnd() == .killed(bySignal: SIGKILL))
            let least = 48_000
            #expect(try read(path).frames >= least, "\(suffix)")
            #expect(try OtherProgram.ffmpeg.frames(of: path) >= least, "\(suffix) by ffmpeg")
            // What sox does not know at all.
            if !["opus", "m4a", "aac"].contains(suffix) {
                #expect(try OtherProgram.sox.frames(of: path) >= least, "\(suffix) by sox")
            }
        }
        withExtendedLifetime(microphone) {}
    }
}

/// A program that decodes sound files.
private enum OtherProgram: String {
    case ffmpeg, sox

    struct Failure: Error { var status: Int32 }

    /// The frames that it decodes, of one channel at 48 kHz.
    func frames(of path: String) throws -> Int {
        let arguments =
            switch self {
            case .ffmpeg: ["-v", "error", "-nostdin", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "48000", "-"]
            case .sox: ["-V1", path, "-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", "48000", "-"]
            }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/\(rawValue)")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // A file that breaks off may be an error to it, after all of its sound.
        guard !bytes.isEmpty || process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return bytes.count / 2
    }
}
