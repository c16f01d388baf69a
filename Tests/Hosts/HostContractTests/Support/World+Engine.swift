import Foundation
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

extension World {
    func engine() -> AVAudioEngine { AVAudioSession.$taskSession.withValue(session) { AVAudioEngine() } }

    /// A running engine whose player loops this behind the main mixer.
    func startEngine(looping buffer: AVAudioPCMBuffer?) throws -> (AVAudioEngine, AVAudioPlayerNode) {
        let engine = engine()
        let player = try addPlayer(to: engine, looping: buffer)
        try engine.start()
        player.play()
        return (engine, player)
    }

    /// A player that loops this into the main mixer, once it plays.
    func addPlayer(to engine: AVAudioEngine, looping buffer: AVAudioPCMBuffer?) throws -> AVAudioPlayerNode {
        let buffer = try #require(buffer)
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: buffer.format)
        player.scheduleBuffer(buffer, at: nil, options: .loops)
        return player
    }

    /// Which channel of a `NumberedLoop` sounds on each channel of these devices, in this order; see `NumberedLoop.channel`.
    ///
    /// Every sample of a tenth of a second counts, once all slides are over.
    func heard(on devices: [WorldDevice]) async throws -> [Int?] {
        try await fadeOut()
        return try await record(devices, frames: 4800) {}.flatMap { $0.map(NumberedLoop.channel) }
    }

    func expectHeard(
        _ channels: [Int?], on devices: [WorldDevice], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let heard = try await heard(on: devices)
        #expect(heard == channels, sourceLocation: sourceLocation)
    }
}

extension AVAudioFormat {
    static let stereo = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2)
}

extension AVAudioPCMBuffer {
    /// 10 ms of a number, on two channels.
    static func level(_ level: Float) throws -> AVAudioPCMBuffer {
        let format = try #require(AVAudioFormat.stereo)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 480))
        buffer.frameLength = 480
        for channel in 0..<2 { buffer.floatChannelData?[channel].update(repeating: level, count: 480) }
        return buffer
    }
}

extension AVAudioEngine {
    /// The output's map, in numbers.
    var map: [Int]? {
        get { outputNode.auAudioUnit.channelMap?.map(\.intValue) }
        set { outputNode.auAudioUnit.channelMap = newValue?.map { NSNumber(value: $0) } }
    }

    var outputChannels: Int { Int(outputNode.outputFormat(forBus: 0).channelCount) }

    /// The output's map by `AudioUnitSetProperty`.
    func setMapProperty(_ map: [Int32]) -> OSStatus {
        guard let unit = outputNode.audioUnit else { return kAudio_ParamError }
        return AudioUnitSetProperty(
            unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Output, 0, map, UInt32(map.count * 4))
    }
}
