import Foundation
import RuntimeTestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// What effects are as nodes: values, places in a graph, and what they refuse.
@Suite struct EngineEffectNodeTests {
    @Test func values_outOfRange_areTakenAsTheNearest() {
        let timePitch = AVAudioUnitTimePitch()
        #expect([timePitch.rate, timePitch.pitch, timePitch.overlap] == [1, 0, 8])
        (timePitch.rate, timePitch.pitch, timePitch.overlap) = (100, 5000, 50)
        #expect([timePitch.rate, timePitch.pitch, timePitch.overlap] == [32, 2400, 32])
        (timePitch.rate, timePitch.pitch, timePitch.overlap) = (0, -.infinity, 0)
        #expect([timePitch.rate, timePitch.pitch, timePitch.overlap] == [1 / 32, -2400, 3])
        (timePitch.rate, timePitch.pitch, timePitch.overlap) = (.nan, .nan, .nan)
        #expect([timePitch.rate, timePitch.pitch, timePitch.overlap] == [1 / 32, -2400, 3])
        let varispeed = AVAudioUnitVarispeed()
        #expect(varispeed.rate == 1)
        varispeed.rate = 9
        #expect(varispeed.rate == 4)
        varispeed.rate = 0
        #expect(varispeed.rate == 0.25)
    }

    @Test func unit_saysWhatItIs() {
        let timePitch = AVAudioUnitTimePitch()
        let varispeed = AVAudioUnitVarispeed()
        #expect([timePitch, varispeed].map(\.name) == ["AUNewTimePitch", "AUVarispeed"])
        #expect(timePitch.manufacturerName == "open-avfaudio")
        #expect(timePitch.version == 65_536)
        let descriptions: [AudioComponentDescription] = [timePitch, varispeed].map(\.audioComponentDescription)
        #expect(descriptions.map(\.componentType) == [kAudioUnitType_FormatConverter, kAudioUnitType_FormatConverter])
        #expect(descriptions.map(\.componentSubType) == [kAudioUnitSubType_NewTimePitch, kAudioUnitSubType_Varispeed])
        #expect(kAudioUnitType_FormatConverter == 1_635_083_875)
        #expect(kAudioUnitSubType_NewTimePitch == 1_853_191_280)
        #expect(kAudioUnitSubType_Varispeed == 1_986_097_769)
        #expect(timePitch.auAudioUnit.audioUnitName == "AUNewTimePitch")
        #expect(timePitch.auAudioUnit.channelMap == nil)
        #expect(timePitch.numberOfInputs == 1)
        #expect(timePitch.numberOfOutputs == 1)
        var map: [Int32] = [0, 1]
        #expect(
            AudioUnitSetProperty(
                timePitch.audioUnit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Output, 0, &map, 8)
                == kAudioUnitErr_InvalidProperty)
    }

    private func code(_ body: () throws -> Void) -> (OSStatus, String)? {
        (#expect(throws: NSError.self) { try body() }).map { (OSStatus($0.code), $0.localizedDescription) }
    }

    @Test func effectThatChangesTheRate_takesAllWaysOfWhatFeedsIt_andSaysSo() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, mixer, effect, second) = (
            AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioUnitTimePitch(), AVAudioUnitVarispeed()
        )
        for node in [player, mixer, effect, second] { engine.attach(node) }
        let points = [effect, mixer].map { AVAudioConnectionPoint(node: $0, bus: 0) }
        // An app that edits comes to a graph that can play, and is told at the start.
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        engine.connect(player, to: engine.mainMixerNode, format: .mono)
        try engine.connectNode(player, to: points, fromBus: 0, format: .mono)
        let atStart = try #require(code { try engine.start() })
        engine.connect(player, to: effect, format: .mono)
        try engine.start()
        let beside = try #require(code { try engine.connectNode(player, to: points, fromBus: 0, format: .mono) })
        #expect(atStart.1 == beside.1)
        #expect(engine.outputConnectionPoints(for: player, outputBus: 0).map(\.node) == [effect])
        #expect(beside.0 == kAudioUnitErr_InvalidParameter)
        #expect(
            beside.1 == """
                The source "player" cannot feed other nodes beside the effect "time pitch", which asks for sound at its own \
                pace: let all its ways lead to the effect. What leaves the last effect may go to several nodes.
                """)
        let cycle = try #require(
            code {
                try engine.connectNode(effect, to: second, format: .mono)
                try engine.connectNode(second, to: effect, format: .mono)
            })
        #expect(cycle.0 == kAudioUnitErr_InvalidParameter)
    }

    @Test func timePitch_refusesMoreChannelsThanItsLibraryTakes() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, effect, varispeed) = (AVAudioPlayerNode(), AVAudioUnitTimePitch(), AVAudioUnitVarispeed())
        for node in [player, effect, varispeed] { engine.attach(node) }
        let wide = try #require(
            AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_DiscreteInOrder | 17)
                .map { AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: $0) })
        let refused = try #require(code { try engine.connectNode(player, to: effect, format: wide) })
        #expect(refused.0 == kAudioUnitErr_FormatNotSupported)
        #expect(refused.1.contains("1 to 16 channels"))
        // Nothing has changed.
        #expect(engine.inputConnectionPoint(for: effect, inputBus: 0) == nil)
        #expect(player.outputFormat(forBus: 0).channelCount == 2)
        try engine.connectNode(player, to: varispeed, format: wide)
        // A chain that is closed from behind is looked at as a whole.
        let chained = try #require(code { try engine.connectNode(varispeed, to: effect, format: .mono) })
        #expect(chained.0 == kAudioUnitErr_FormatNotSupported)
        let fast = AVAudioFormat.standard(1, rate: 384_000)
        let tooFast = try #require(code { try engine.connectNode(player, to: effect, format: fast) })
        #expect(tooFast.0 == kAudioUnitErr_FormatNotSupported)
    }

    @Test func connect_ofAPlayerToAnEffectAndPastIt_whileItPlays_endsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let machine = try AppMachine()
            let engine = machine.engine()
            let (player, mixer, effect) = (AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioUnitTimePitch())
            for node in [player, mixer, effect] { engine.attach(node) }
            let points = [effect, mixer].map { AVAudioConnectionPoint(node: $0, bus: 0) }
            engine.connect(effect, to: engine.mainMixerNode, format: .mono)
            engine.connect(player, to: effect, format: .mono)
            try engine.start()
            engine.connect(player, to: points, fromBus: 0, format: .mono)
        }
    }

    @Test func effectWithoutASource_isSilent() throws {
        let effect = AVAudioUnitTimePitch()
        effect.rate = 2
        let bench = try EffectBench([effect])
        bench.engine.disconnectNodeInput(effect)
        #expect(try bench.render(4800) == silence(4800))
    }
}
