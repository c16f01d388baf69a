import AudioModel
import OpenAudioSession
import Testing

@testable import audiosession

@Suite struct CommandTests {
    private func play(_ arguments: String...) throws -> PlayCommand {
        try #require(try AudioSessionTool.command(from: ["play"] + arguments) as? PlayCommand)
    }

    @Test func play_withFilesOnly_hasTheDocumentedDefaults() throws {
        let command = try play("a.wav", "b.wav")
        #expect(command.files == ["a.wav", "b.wav"])
        #expect(command.session.settings.category == .playback)
        #expect(command.session.mode == .default)
        #expect(command.session.options == [])
        #expect(command.device == nil)
        #expect(command.onUnplug == .pause)
        #expect(command.host.host == nil)
        #expect(command.volume == nil)
        #expect(command.events == .text)
        #expect(!command.quiet)
    }

    @Test func play_takesEveryDocumentedOption() throws {
        let command = try play(
            "a.wav", "--category", "playAndRecord", "--mode", "voiceChat", "--options",
            "defaultToSpeaker,allowBluetoothHFP", "--device", "USB", "--on-unplug", "continue", "--host", "simulated",
            "--volume", "0.25", "--events", "json", "--quiet")
        #expect(command.session.settings.category == .playAndRecord)
        #expect(command.session.mode == .voiceChat)
        #expect(command.session.options == [.defaultToSpeaker, .allowBluetoothHFP])
        #expect(command.device == "USB")
        #expect(command.onUnplug == .continue)
        #expect(command.host.host == .simulated)
        #expect(command.volume == 0.25)
        #expect(command.events == .json)
        #expect(command.quiet)
    }

    @Test(arguments: [
        (["--category", "plyback"], "unknown category 'plyback'. Did you mean 'playback'? Allowed: ambient,"),
        (
            ["--category", "record"],
            "the category 'record' has no output. Use one of: ambient, soloAmbient,"
        ),
        (["--mode", "x"], "unknown mode 'x'. Allowed: default,"),
        (["--options", "duckOther"], "unknown option 'duckOther'. Did you mean 'duckOthers'?"),
        (
            ["--volume", "1.5"],
            "The value '1.5' is invalid for '--volume <volume>': it must be a number from 0 (silent) to 1 (unchanged)"
        ),
        (
            ["--volume", "nan"],
            "The value 'nan' is invalid for '--volume <volume>': it must be a number from 0 (silent) to 1 (unchanged)"
        ),
        (["--on-unplug", "stop"], "The value 'stop' is invalid for '--on-unplug"),
        (["--host", "alsa"], "The value 'alsa' is invalid for '--host"),
        (["--multi-route", "--category", "ambient"], "--multi-route requires category multiRoute, but --category is"),
        (["--to", "HDMI", "--category", "ambient"], "--to requires category multiRoute, but --category is 'ambient'."),
        (
            ["--device", "x", "--port-type", "usb"],
            "--device and --port-type cannot be combined: both choose the output. Remove one of them."
        ),
        (["--to", "x", "--device", "y"], "--to and --device cannot be combined"),
        (["--to", "x", "--port-type", "usb"], "--to and --port-type cannot be combined"),
        (["--to", "x", "--channel-map", "0,1"], "--to and --channel-map cannot be combined"),
        (
            ["--multi-route", "--channel-map", "0,1", "--device", "x"],
            "--channel-map and --device under multiRoute cannot be combined"
        ),
        (["--channel-map", "0,x"], "'x' is not a channel. Give one for each channel of the outputs, from 0, or -1"),
        (["--channel-map", "-2,0"], "'-2' is not a channel."),
        (["--channel-map", ""], "'' is not a channel."),
        (["--port-type", "hedphones"], "unknown port type 'hedphones'. Did you mean 'headphones'? Allowed: head"),
        (["--port-type", "HDMIOuput"], "unknown port type 'HDMIOuput'. Did you mean 'HDMIOutput'?"),
        (["--to", "x", "b.wav"], "'b.wav' has no --to, but other files do."),
        (["b.wav", "--to", "x"], "'a.wav' has no --to, but other files do."),
        (["--to", "x", "--to", "y"], "'a.wav' has two outputs, 'x' and 'y'. Give each file one --to."),
        (["--to"], "Missing value for '--to <output>'"),
        (["--loop=0"], "it must be a whole number from 1 to 1000000"),
        (["--start", "1:60"], "it must be a time in seconds, minutes:seconds or hours:minutes:seconds"),
        (["--start", "-1"], "it must be a time in seconds"),
        (["--speed", "9"], "it must be a number from 0.25 to 4"),
        (["--to", "x", "--shuffle"], "--to and --shuffle cannot be combined: all files play at once."),
        (["--to", "--quiet"], "Missing value for '--to <output>'"),
    ])
    func mistake_isNamedAndIsOneOfUsage(arguments: [String], words: String) {
        let error = #expect(throws: (any Error).self) {
            try AudioSessionTool.command(from: ["play", "a.wav"] + arguments)
        }
        guard let error else { return }
        #expect(AudioSessionTool.fullMessage(for: error).contains(words))
        #expect(AudioSessionTool.exitCode(for: error) == .validationFailure)
    }

    @Test func files_withOutputsOfTheirOwn_keepTheirOrder() throws {
        let command = try play("a.wav", "--to", "HDMI", "--quiet", "b.wav", "--to=USB Headset")
        #expect(command.words == [.file("a.wav"), .output("HDMI"), .file("b.wav"), .output("USB Headset")])
        #expect(command.files == ["a.wav", "b.wav"])
        #expect(command.quiet)
    }

    @Test func words_afterTheTerminator_areFiles() throws {
        #expect(try play("--", "--to", "b.wav").files == ["--to", "b.wav"])
    }

    @Test func outputBeforeAnyFile_isAMistakeOfUsage() {
        let error = #expect(throws: (any Error).self) { try play("--to", "HDMI", "a.wav") }
        #expect(
            error.map { AudioSessionTool.fullMessage(for: $0).contains("--to 'HDMI' comes before any file.") } == true)
    }

    @Test func recording_takesAFileAndALength() throws {
        let command = try #require(
            try AudioSessionTool.command(from: ["record", "take.flac", "--duration", "30"]) as? RecordCommand)
        #expect(command.file == "take.flac")
        #expect(command.duration == 30)
        #expect(!command.overwrite)
    }

    @Test(arguments: ["0", "-1", "nan", "x", "1e9"])
    func recording_ofNoLength_isAMistakeOfUsage(duration: String) {
        let error = #expect(throws: (any Error).self) {
            try AudioSessionTool.command(from: ["record", "take.wav", "--duration", duration])
        }
        #expect(error.map { AudioSessionTool.fullMessage(for: $0).contains("a number of seconds from 0.001") } == true)
    }

    @Test func outputOptions_areTaken() throws {
        let command = try play("a.wav", "--multi-route", "--channel-map", "-1,-1,0,1", "--category", "multiRoute")
        #expect(command.multiRoute)
        #expect(command.channelMap == [-1, -1, 0, 1])
        #expect(try play("a.wav", "--port-type", "HDMIOutput").portType == .HDMI)
    }

    @Test func loop_isWithoutEndUnlessItHasANumber() throws {
        #expect(try play("a.wav").loop.count == 1)
        #expect(try play("a.wav", "--loop").loop.count == nil)
        #expect(try play("--loop", "3", "a.wav").loop.count == 3)
        #expect(try play("--loop", "3", "a.wav").files == ["a.wav"])
        #expect(try play("a.wav", "--loop=3").loop.count == 3)
    }

    @Test(arguments: [("90", 90.0), ("1:30", 90), ("1:02:30.5", 3750.5)])
    func start_isSecondsOrAClock(word: String, seconds: Double) throws {
        #expect(try play("a.wav", "--start", word).start == seconds)
    }

    @Test func anyServer_isTrusted_onlyWhereItIsAskedFor() throws {
        #expect(try play("https://example.org/a").trust != .anyServer)
        #expect(try play("https://example.org/a", "--insecure").trust == .anyServer)
    }

    @Test func nameThatIsNotUTF8_keepsItsBytes() throws {
        let word = "\0bytes 61ff"
        #expect(try play(word).files == [FilePath(bytes: [0x61, 0xFF])])
        let error = #expect(throws: (any Error).self) { try AudioSessionTool.command(from: ["record", word]) }
        #expect(
            error.map { AudioSessionTool.fullMessage(for: $0).contains("the name 'a\u{FFFD}' is not UTF-8") } == true)
    }

    @Test(arguments: ["song.flac", "https://example.org/a"])
    func fileInPlaceOfACommand_isToldHowToPlayIt(word: String) {
        let error = #expect(throws: (any Error).self) { try AudioSessionTool.command(from: [word]) }
        #expect(
            error.map { AudioSessionTool.fullMessage(for: $0).contains("To play it: audiosession play \(word)") }
                == true)
    }

    @Test func helpForNoCommand_isAMistakeOfUsage() {
        let error = #expect(throws: (any Error).self) { try AudioSessionTool.command(from: ["help", "nope"]) }
        #expect(error.map { AudioSessionTool.exitCode(for: $0) == .validationFailure } == true)
    }

    @Test func recording_takesAFormat() throws {
        let command = try #require(
            try AudioSessionTool.command(from: [
                "record", "take", "--format", "flac", "--rate", "44100", "--channels", "1", "--input", "Mic", "-q",
            ]) as? RecordCommand)
        #expect((command.format, command.rate, command.channels) == ("flac", 44_100, 1))
        #expect((command.input, command.quiet) == ("Mic", true))
    }

    /// Its file would have another rate, or other channels, than was asked for.
    @Test(arguments: [["--channels", "1.5"], ["--rate", "44100.5"]])
    func recording_ofAPartOfANumber_isRefused(option: [String]) {
        let error = #expect(throws: (any Error).self) {
            try AudioSessionTool.command(from: ["record", "take.wav"] + option)
        }
        #expect(error.map { AudioSessionTool.fullMessage(for: $0).contains("it must be a whole number of") } == true)
    }
}
