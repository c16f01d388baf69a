import CAudioTypes
import EngineCore
import Foundation
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// The input of an engine that the app renders by hand.
@Suite struct EngineManualInputTests {
    /// Gives a ramp in buffers as it is asked, until it has no more.
    private final class Giver: @unchecked Sendable {
        // @unchecked: used on the thread that renders, which is the test's.
        private(set) var asked: [UInt32] = []
        /// Frames that there are; it gives what it has.
        var stock: Int
        private var given = 0
        private let buffer: AVAudioPCMBuffer

        init(stock: Int, rate: Double = 48_000, channels: UInt32 = 1) {
            self.stock = stock
            buffer = AVAudioPCMBuffer(pcmFormat: .standard(channels, rate: rate), frameCapacity: 4096)!
        }

        func give(_ frames: UInt32) -> UnsafePointer<AudioBufferList>? {
            asked.append(frames)
            let count = min(Int(frames), stock)
            guard count > 0 else { return nil }
            buffer.frameLength = UInt32(count)
            for channel in 0..<Int(buffer.format.channelCount) {
                for frame in 0..<count {
                    buffer.floatChannelData?[channel][frame] =
                        Float(given + frame + 1) / 65536 * (channel == 0 ? 1 : -1)
                }
            }
            stock -= count
            given += count
            return buffer.audioBufferList
        }
    }

    private func engine(_ machine: AppMachine) throws -> AVAudioEngine {
        let engine = machine.engine()
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 1024)
        return engine
    }

    private func render(
        _ engine: AVAudioEngine, _ frames: UInt32
    ) throws -> (AVAudioEngineManualRenderingStatus, [Float]) {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: 1024))
        let status = try engine.renderOffline(frames, to: buffer)
        return (status, buffer.channels[0])
    }

    @Test func inputBlock_isRenderedFrameForFrame_andAskedForWhatIsNeeded() throws {
        let machine = try AppMachine()
        let engine = try engine(machine)
        let giver = Giver(stock: 10_000)
        // The rendering format until the app says another: a connection of no format has it.
        #expect(engine.inputNode.inputFormat(forBus: 0) == .mono)
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        let give: AVAudioIONodeInputBlock = giver.give
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: give))
        #expect(engine.inputNode.inputFormat(forBus: 0) == .mono)
        try engine.start()
        var rendered: [Float] = []
        for frames in [UInt32(512), 1, 1024, 300] {
            let (status, samples) = try render(engine, frames)
            #expect(status == .success)
            rendered += samples
        }
        #expect(rendered == ramp(1, 1837))
        #expect(giver.asked == [512, 1, 1024, 300])
        #expect(machine.runtime.state.streams.isEmpty)
    }

    @Test func inputBlock_withTooFewFrames_rendersNothing_andLosesNothing() throws {
        let machine = try AppMachine()
        let engine = try engine(machine)
        let giver = Giver(stock: 700)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: giver.give))
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        #expect(try render(engine, 512) == (.success, ramp(1, 512)))
        #expect(try render(engine, 512) == (.insufficientDataFromInputNode, []))
        #expect(engine.manualRenderingSampleTime == 512)
        giver.stock = 1000
        #expect(try render(engine, 512) == (.success, ramp(513, 512)))
        // 188 frames were there already.
        #expect(giver.asked == [512, 512, 324, 324])
        // The block of realtime mode says the same.
        giver.stock = 0
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 64))
        var error = OSStatus(7)
        let status = engine.manualRenderingBlock(64, buffer.mutableAudioBufferList, &error)
        #expect((status, error) == (.insufficientDataFromInputNode, noErr))
    }

    @Test func inputBlock_ofAnotherRate_isConverted() throws {
        let machine = try AppMachine()
        let engine = try engine(machine)
        let giver = Giver(stock: .max, rate: 16_000)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.standard(1, rate: 16_000), inputBlock: giver.give))
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        var rendered: [Float] = []
        for _ in 0..<20 { rendered += try render(engine, 480).1 }
        #expect(rendered.count == 9600)
        // A ramp of a third of the slope; the middle is far from the filter's ends.
        let slope = (rendered[8000] - rendered[5000]) * 65536
        #expect(abs(slope - 1000) < 1)
    }

    @Test func tapsAndSinks_hearTheBlocksFrames_thoughNothingIsRenderedOfThem() throws {
        let machine = try AppMachine()
        let engine = try engine(machine)
        let giver = Giver(stock: 10_000, channels: 2)
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .mono)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.stereo, inputBlock: giver.give))
        engine.inputNode.auAudioUnit.channelMap = [1, 0]
        let heard = History<[Float]>()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { buffer, time in
            heard.append([Float(time.sampleTime)] + buffer.channels.map { $0[0] })
        }
        let received = History<Int>()
        let sink = AVAudioSinkNode { _, frames, _ in
            received.append(Int(frames))
            return noErr
        }
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: nil)
        try engine.start()
        for _ in 0..<10 { #expect(try render(engine, 480).0 == .success) }
        #expect(heard.entries == [[0, -1 / 65536, 1 / 65536]])
        #expect(received.entries == [Int](repeating: 480, count: 10))
    }

    @Test func settingTheBlock_isRefused_whereItCanNotBe() throws {
        let machine = try AppMachine()
        let giver = Giver(stock: 10_000)
        let other = machine.engine()
        // Not in manual rendering.
        #expect(!other.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: giver.give))
        let engine = try engine(machine)
        #expect(!engine.inputNode.setManualRenderingInputPCMFormat(.noDevice, inputBlock: giver.give))
        // Connected, and with nothing to give.
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: giver.give))
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        engine.disableManualRenderingMode()
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 1024)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == Int(kAudioUnitErr_NoConnection))
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: giver.give))
        try engine.start()
        // Running.
        #expect(!engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: giver.give))
    }

    @Test func rateThatIsNotConverted_isRefused() throws {
        let machine = try AppMachine()
        let engine = try engine(machine)
        let giver = Giver(stock: 10_000)
        for rate in [99.0, 1_000_001] {
            let format = AVAudioFormat.standard(1, rate: rate)
            #expect(!engine.inputNode.setManualRenderingInputPCMFormat(format, inputBlock: giver.give))
        }
        for rate in [100.0, 1_000_000] {
            let format = AVAudioFormat.standard(1, rate: rate)
            #expect(engine.inputNode.setManualRenderingInputPCMFormat(format, inputBlock: giver.give))
        }
        // What is not converted may have any.
        let slow = AVAudioFormat.standard(1, rate: 50)
        engine.disableManualRenderingMode()
        try engine.enableManualRenderingMode(.offline, format: slow, maximumFrameCount: 1024)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(slow, inputBlock: giver.give))
    }

    @Test func framesThatLeadToNothing_areNotAskedForWithoutEnd() {
        let giver = Giver(stock: 6400)
        let input = ManualInput(format: StreamFormat(.mono), block: AppBlock.input(.mono, giver.give))
        #expect(input.consume(64, rate: 48_000, channels: 1) { _, _ in [] } == nil)
        #expect(giver.asked == [64])
    }

    @Test func reset_whileTheBlockIsAsked_holdsFromTheNextCycleOn() throws {
        let machine = try AppMachine()
        // Any thread may reset an engine.
        nonisolated(unsafe) let engine = try engine(machine)
        let giver = Giver(stock: 700)
        nonisolated(unsafe) var mustReset = false
        let isTaken = engine.inputNode.setManualRenderingInputPCMFormat(.mono) { frames in
            if mustReset {
                let hasReset = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    engine.reset()
                    hasReset.signal()
                }
                hasReset.wait()
                mustReset = false
            }
            return giver.give(frames)
        }
        #expect(isTaken)
        let times = History<Int>()
        let sink = AVAudioSinkNode { time, _, _ in
            times.append(Int(time.pointee.mSampleTime))
            return noErr
        }
        engine.attach(sink)
        engine.connect(
            engine.inputNode,
            to: [
                AVAudioConnectionPoint(node: sink, bus: 0), AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0),
            ], fromBus: 0, format: .mono)
        try engine.start()
        #expect(try render(engine, 512) == (.success, ramp(1, 512)))
        #expect(try render(engine, 512).0 == .insufficientDataFromInputNode)
        giver.stock = 2000
        mustReset = true
        // The 188 frames from before are part of this cycle.
        #expect(try render(engine, 512) == (.success, ramp(513, 512)))
        #expect(try render(engine, 512) == (.success, ramp(1025, 512)))
        #expect(giver.asked == [512, 512, 324, 324, 512])
        #expect(times.entries == [0, 512, 700, 0])
    }

    @Test func tapOnTheInput_isGone_whenManualRenderingBeginsAndEnds() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .mono)
        let kept = machine.tap(player)
        let before = machine.tap(engine.inputNode)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 4800)
        let during = machine.tap(engine.inputNode)
        let giver = Giver(stock: 10_000)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: { giver.give(min($0, 4096)) }))
        try engine.start()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 4800))
        #expect(try engine.renderOffline(4800, to: buffer) == .success)
        engine.disableManualRenderingMode()
        let after = machine.tap(engine.inputNode)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(before.entries.isEmpty)
        #expect(during.samples == [ramp(1, 4800)])
        #expect(after.entries.count > 0)
        // One on another node hears on.
        #expect(kept.entries.count > 1)
    }
}
