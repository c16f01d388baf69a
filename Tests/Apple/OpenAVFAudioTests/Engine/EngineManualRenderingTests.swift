import CRealtime
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import SessionRuntime

/// Engines that the app asks for frames; no session is needed for it.
@Suite struct EngineManualRenderingTests {
    private func render(
        _ engine: AVAudioEngine, frames: Int, by step: UInt32
    ) throws -> [[Float]] {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: step))
        var channels = [[Float]](repeating: [], count: Int(engine.manualRenderingFormat.channelCount))
        while channels[0].count < frames {
            #expect(try engine.renderOffline(step, to: buffer) == .success)
            for (index, channel) in buffer.channels.enumerated() { channels[index] += channel }
        }
        return channels
    }

    @Test(arguments: [UInt32(512), 1, 4096])
    func offline_isBitExact_whateverTheStep(step: UInt32) throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(.offline, .stereo, maximumFrames: 4096)
        try engine.start()
        let channels = [ramp(1, 5000), ramp(10_001, 5000)]
        player.scheduleBuffer(AVAudioPCMBuffer(channels))
        player.play()
        let rendered = try render(engine, frames: 5000, by: step)
        #expect(rendered.map { Array($0.prefix(5000)) } == channels)
        #expect(engine.manualRenderingSampleTime == Int64(rendered[0].count))
        // Nothing of it reached the machine, and the session does not know.
        #expect(!machine.runtime.state.activation.isActive)
        #expect(machine.runtime.state.streams.isEmpty)
    }

    @Test func offline_timesCountEveryFrame_fromTheStartOn() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(.offline, .stereo, maximumFrames: 4096)
        #expect(player.lastRenderTime == nil)
        try engine.start()
        #expect(player.lastRenderTime?.sampleTime == 0)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 60_000), ramp(1, 60_000)]))
        player.play()
        _ = try render(engine, frames: 44_100, by: 441)
        let last = try #require(player.lastRenderTime)
        #expect(last.sampleTime == 44_100)
        #expect(player.playerTime(forNodeTime: last)?.sampleTime == 44_100)
        engine.stop()
        #expect(player.lastRenderTime == nil)
    }

    /// An engine with a player that is not connected yet, and a file of 0.25 s for it.
    private func engineAndFile(
        on machine: AppMachine, in directory: TemporaryDirectory
    ) throws -> (AVAudioEngine, AVAudioPlayerNode, AVAudioFile) {
        let path = try TestFile.write(.ramp, seconds: 0.25, format: .wav16, in: directory)
        let (engine, player) = (machine.engine(), AVAudioPlayerNode())
        engine.attach(player)
        return (engine, player, try AVAudioFile(forReading: URL(fileURLWithPath: path)))
    }

    @Test func offline_rendersAFile_andTellsItsEnd() throws {
        let machine = try AppMachine()
        let directory = try TemporaryDirectory()
        let (engine, player, file) = try engineAndFile(on: machine, in: directory)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        let history = History<String>()
        // Before the mode is set and anything runs: it waits.
        player.scheduleFile(file, at: nil, completionCallbackType: .dataRendered) { history.append("\($0)") }
        try engine.enableManualRenderingMode(.offline, format: file.processingFormat, maximumFrameCount: 1000)
        try engine.start()
        player.play()
        let first = try render(engine, frames: 11_000, by: 1000)
        #expect(history.entries == [])
        let rest = try render(engine, frames: 1000, by: 1000)
        #expect(history.entries == ["dataRendered"])
        #expect(zip(first, rest).map { $0 + $1 } == TestSignal.ramp.planar(0..<12_000))
    }

    @Test func offline_asksASourceNodeForExactlyTheFrames() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let asked = History<Int>()
        let source = AVAudioSourceNode { _, time, frames, list in
            asked.append(Int(frames))
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                guard let data = buffer.mData?.assumingMemoryBound(to: Float.self) else { continue }
                for frame in 0..<Int(frames) { data[frame] = Float(Int(time.pointee.mSampleTime) + frame) / 65536 }
            }
            return noErr
        }
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: .mono)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 512)
        try engine.start()
        #expect(try render(engine, frames: 1500, by: 500) == [ramp(0, 1500)])
        #expect(asked.entries == [500, 500, 500])
    }

    @Test func offline_inAnIntegerFormat_convertsTheOutput() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .mono)
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 2, interleaved: true))
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 512)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([[0.5, -0.5, 0.25]]))
        player.play()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512))
        _ = try engine.renderOffline(4, to: buffer)
        let data = try #require(buffer.int16ChannelData)
        #expect((0..<8).map { data[0][$0] } == [16_384, 16_384, -16_384, -16_384, 8192, 8192, 0, 0])
    }

    @Test func block_rendersIntoABufferList() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(.realtime, .stereo, maximumFrames: 512)
        let block: AVAudioEngineManualRenderingBlock = engine.manualRenderingBlock
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 512))
        var status = OSStatus(0)
        #expect(block(512, buffer.mutableAudioBufferList, &status) == .error)
        #expect(status == AVAudioEngineManualRenderingError.notRunning.rawValue)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 512), ramp(1001, 512)]))
        player.play()
        #expect(block(512, buffer.mutableAudioBufferList, &status) == .success)
        buffer.frameLength = 512
        #expect(buffer.channels == [ramp(1, 512), ramp(1001, 512)])
        #expect(block(513, buffer.mutableAudioBufferList, &status) == .error)
        #expect(status == kAudio_ParamError)
    }

    @Test func block_forMoreFramesThanAListCanName_answersWithAnError() throws {
        let machine = try AppMachine()
        let (engine, _) = try machine.engineRenderedByHand(.realtime, .stereo, maximumFrames: 512)
        try engine.start()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 512))
        var status = OSStatus(0)
        #expect(engine.manualRenderingBlock(.max, buffer.mutableAudioBufferList, &status) == .error)
        #expect(status == kAudio_ParamError)
    }

    @Test(arguments: [1_000_001, 1e300])
    func mode_atARateThatNothingHas_isRefused(rate: Double) throws {
        let machine = try AppMachine()
        let (engine, _) = try machine.engineWithPlayer()
        engine.stop()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: rate, channels: 2))
        let error = #expect(throws: NSError.self) {
            try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 512)
        }
        #expect(error?.code == Int(kAudioUnitErr_FormatNotSupported))
        #expect(!engine.isInManualRenderingMode)
    }

    @Test(arguments: [50, 2_000_000, 1e300])
    func file_throughAConnectionAtARateThatIsNotConverted_isOverAtOnce(rate: Double) throws {
        let machine = try AppMachine()
        let directory = try TemporaryDirectory()
        let (engine, player, file) = try engineAndFile(on: machine, in: directory)
        engine.connect(
            player, to: engine.mainMixerNode, format: AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1))
        let history = History<String>()
        player.scheduleFile(file, at: nil, completionCallbackType: .dataConsumed) { history.append("\($0)") }
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 1000)
        try engine.start()
        player.play()
        #expect(try render(engine, frames: 1000, by: 1000) == [silence(1000)])
        #expect(history.entries == ["dataConsumed"])
        #expect(player.lastRenderTime != nil)
    }

    @Test func misuse_throwsTheCodesOfApple() throws {
        let machine = try AppMachine()
        let (engine, _) = try machine.engineWithPlayer()
        let buffer = AVAudioPCMBuffer([silence(512), silence(512)])
        func code(_ body: () throws -> Void) -> OSStatus? {
            (#expect(throws: NSError.self) { try body() }).map { OSStatus($0.code) }
        }
        #expect(
            code { try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 512) } == -80801)
        #expect(code { _ = try engine.renderOffline(512, to: buffer) } == -80800)
        engine.stop()
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 512)
        #expect(code { _ = try engine.renderOffline(512, to: buffer) } == -80802)
        try engine.start()
        #expect(code { _ = try engine.renderOffline(513, to: AVAudioPCMBuffer([silence(600), silence(600)])) } == -50)
        #expect(code { _ = try engine.renderOffline(512, to: AVAudioPCMBuffer([silence(512)])) } == -50)
        engine.stop()
        #expect(
            code { try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 0) }
                == kAudioUnitErr_InvalidPropertyValue)
    }

    @Test func disable_goesBackToTheDevice() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(
            .offline, .standard(1, rate: 8000), connected: .mono, maximumFrames: 512)
        #expect(engine.outputNode.outputFormat(forBus: 0).sampleRate == 8000)
        #expect(engine.isInManualRenderingMode)
        try engine.start()
        engine.disableManualRenderingMode()
        #expect(!engine.isRunning)
        #expect(!engine.isInManualRenderingMode)
        #expect(engine.outputNode.outputFormat(forBus: 0).sampleRate == 48_000)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start)[0] == ramp(1, 480))
    }

    @Test func offline_returns_thoughAHandlerWaitsForTheCaller() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(.offline, .mono, maximumFrames: 512)
        try engine.start()
        let hasReturned = DispatchSemaphore(value: 0)
        let history = History<DispatchTimeoutResult>()
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 100)]), at: nil, completionCallbackType: .dataRendered) { _ in
            // Several times as long as a call may wait for it.
            history.append(hasReturned.wait(timeout: .now() + 20))
        }
        player.play()
        _ = try render(engine, frames: 512, by: 512)
        #expect(history.entries.isEmpty)
        hasReturned.signal()
        _ = try render(engine, frames: 512, by: 512)
        #expect(history.entries == [.success])
    }
}
