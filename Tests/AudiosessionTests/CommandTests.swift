import AudioModel
import Testing

@testable import audiosession

@Suite struct CommandTests {
    private func play(_ arguments: String...) throws -> PlayCommand {
        try #require(try AudioSessionTool.parseAsRoot(["play"] + arguments) as? PlayCommand)
    }

    @Test func play_withFilesOnly_hasTheDocumentedDefaults() throws {
        let command = try play("a.wav", "b.wav")
        #expect(command.files == ["a.wav", "b.wav"])
        #expect(command.session.category == .playback)
        #expect(command.session.mode == .default)
        #expect(command.session.options == [])
        #expect(command.device == nil)
        #expect(command.onUnplug == .pause)
        #expect(command.host.host == nil)
        #expect(command.volume == 1)
        #expect(command.events == .text)
        #expect(!command.quiet)
    }

    @Test func play_takesEveryDocumentedOption() throws {
        let command = try play(
            "a.wav", "--category", "playAndRecord", "--mode", "voiceChat", "--options",
            "defaultToSpeaker,allowBluetoothHFP", "--device", "USB", "--on-unplug", "continue", "--host", "simulated",
            "--volume", "0.25", "--events", "json", "--quiet")
        #expect(command.session.category == .playAndRecord)
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
        (["--category", "plyback"], "there is no category 'plyback'. Did you mean 'playback'? Allowed: ambient,"),
        (
            ["--category", "record"],
            "the category 'record' has no output to play on. Use one of: ambient, soloAmbient,"
        ),
        (["--mode", "x"], "there is no mode 'x'. Allowed: default,"),
        (["--options", "duckOther"], "there is no option 'duckOther'. Did you mean 'duckOthers'?"),
        (
            ["--volume", "1.5"],
            "The value '1.5' is invalid for '--volume <volume>': it must be a number from 0 (silent) to 1 (full)"
        ),
        (
            ["--volume", "nan"],
            "The value 'nan' is invalid for '--volume <volume>': it must be a number from 0 (silent) to 1 (full)"
        ),
        (["--on-unplug", "stop"], "The value 'stop' is invalid for '--on-unplug"),
        (["--host", "alsa"], "The value 'alsa' is invalid for '--host"),
    ])
    func mistake_isNamedAndIsOneOfUsage(arguments: [String], words: String) {
        let error = #expect(throws: (any Error).self) {
            try AudioSessionTool.parseAsRoot(["play", "a.wav"] + arguments)
        }
        guard let error else { return }
        #expect(AudioSessionTool.fullMessage(for: error).contains(words))
        #expect(AudioSessionTool.exitCode(for: error) == .validationFailure)
    }
}
