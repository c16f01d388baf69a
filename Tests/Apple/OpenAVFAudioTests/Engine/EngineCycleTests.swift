import AudioModel
import CAudioTypes
import EngineCore
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// Blocks of the app's in the render cycle, on the simulated host.
@Suite struct EngineCycleTests {
    /// One call of a source node's block.
    private struct Call: Equatable {
        var frames: Int
        var sampleTime: Double
        var hostTime: UInt64
    }

    /// A block that writes a ramp: channel c of frame n is (n + 1 + 10 000 c) / 65536.
    private static func rampBlock(_ calls: History<Call>) -> AVAudioSourceNodeRenderBlock {
        { _, time, frames, list in
            for (channel, buffer) in UnsafeMutableAudioBufferListPointer(list).enumerated() {
                guard let data = buffer.mData?.assumingMemoryBound(to: Float.self) else { return -1 }
                for frame in 0..<Int(frames) {
                    data[frame] = Float(Int(time.pointee.mSampleTime) + frame + 1 + 10_000 * channel) / 65536
                }
            }
            calls.append(
                Call(
                    frames: Int(frames), sampleTime: time.pointee.mSampleTime, hostTime: time.pointee.mHostTime))
            return noErr
        }
    }

    private func start(
        _ source: AVAudioSourceNode, on machine: AppMachine, format: AVAudioFormat = .stereo
    ) throws -> AVAudioEngine {
        let engine = machine.engine()
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: format)
        try engine.start()
        return engine
    }

    // MARK: Source nodes

    @Test func sourceNode_isCalledInTheCycle_withItsFramesAndItsTime() throws {
        let machine = try AppMachine()
        let calls = History<Call>()
        let source = AVAudioSourceNode(renderBlock: Self.rampBlock(calls))
        #expect(!source.isCalledInRenderCycle)
        let engine = try start(source, on: machine)
        #expect(source.isCalledInRenderCycle)
        #expect(calls.entries.isEmpty)
        let start = machine.host.frame
        let now = machine.host.now().nanoseconds
        machine.advance(frames: 480 * 3 + 100)
        #expect(
            calls.entries == [
                Call(frames: 480, sampleTime: 0, hostTime: now),
                Call(frames: 480, sampleTime: 480, hostTime: now + 10_000_000),
                Call(frames: 480, sampleTime: 960, hostTime: now + 20_000_000),
                Call(frames: 100, sampleTime: 1440, hostTime: now + 30_000_000),
            ])
        #expect(machine.heard(since: start) == [ramp(1, 1540), ramp(10_001, 1540)])
        #expect(source.slowRenderCallCount == 0)
        engine.stop()
    }

    /// 0 frames are queued between the block and the device.
    @Test func noteOn_isHeardInTheNextCycle() throws {
        let machine = try AppMachine()
        let level = Mutex<Float>(0)
        let source = AVAudioSourceNode { _, _, frames, list in
            let value = level.withLock { $0 }
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: value, count: Int(frames))
            }
            return noErr
        }
        let engine = try start(source, on: machine)
        machine.advance(frames: 4800)
        level.withLock { $0 = 0.5 }
        let start = machine.host.frame
        machine.advance(frames: 480)
        level.withLock { $0 = 0 }
        machine.advance(frames: 480)
        let heard = [Float](repeating: 0.5, count: 480) + silence(480)
        #expect(machine.heard(since: start) == [heard, heard])
        engine.stop()
    }

    @Test func sourceNode_ofSamplesThatAreNotPlanes_isCalledAheadOfTheCycle() throws {
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 1, interleaved: true))
        let machine = try AppMachine()
        let calls = History<Int>()
        let source = AVAudioSourceNode(format: format) { _, _, frames, _ in
            calls.append(Int(frames))
            return noErr
        }
        let engine = try start(source, on: machine, format: .mono)
        #expect(!source.isCalledInRenderCycle)
        machine.advance(frames: 480)
        // As far as the read-ahead goes, and a cycle.
        #expect(calls.entries.reduce(0, +) >= 4800)
        engine.stop()
    }

    /// The converter asks for half its length more, 32 frames, and nothing is late.
    @Test func sourceNode_ofAnotherRate_isCalledInTheCycle_andHeardAtItsTime() throws {
        let machine = try AppMachine()
        let calls = History<Call>()
        let source = AVAudioSourceNode(format: .standard(1, rate: 44_100)) { _, time, frames, list in
            let data = UnsafeMutableAudioBufferListPointer(list)[0].mData?.assumingMemoryBound(to: Float.self)
            for frame in 0..<Int(frames) {
                data?[frame] = Float(sin(2 * .pi * 441 * (time.pointee.mSampleTime + Double(frame)) / 44_100))
            }
            calls.append(
                Call(
                    frames: Int(frames), sampleTime: time.pointee.mSampleTime, hostTime: time.pointee.mHostTime))
            return noErr
        }
        let start = machine.host.frame
        let now = machine.host.now().nanoseconds
        let engine = try self.start(source, on: machine, format: .standard(1, rate: 44_100))
        #expect(source.isCalledInRenderCycle)
        machine.advance(frames: 480 * 3)
        #expect(
            calls.entries == [
                Call(frames: 473, sampleTime: 0, hostTime: now),
                Call(frames: 441, sampleTime: 473, hostTime: now + 10_000_000),
                Call(frames: 441, sampleTime: 914, hostTime: now + 20_000_000),
            ])
        let heard = machine.heard(since: start)[0]
        for frame in 64..<1440 {
            #expect(abs(heard[frame] - Float(sin(2 * .pi * 441 * Double(frame) / 48_000))) < 1e-4)
        }
        engine.stop()
    }

    @Test func sourceNode_thatGivesMemoryOfItsOwn_isHeard_asFarAsThatGoes() throws {
        let machine = try AppMachine()
        nonisolated(unsafe) let memory = UnsafeMutablePointer<Float>.allocate(capacity: 480)
        memory.initialize(repeating: 0.25, count: 480)
        defer { memory.deallocate() }
        let bytes = Mutex<UInt32>(480 * 4)
        let source = AVAudioSourceNode { _, _, _, list in
            list.pointee.mBuffers.mData = UnsafeMutableRawPointer(memory)
            list.pointee.mBuffers.mDataByteSize = bytes.withLock { $0 }
            list.pointee.mNumberBuffers = 7
            return noErr
        }
        let engine = try start(source, on: machine, format: .mono)
        let start = machine.host.frame
        machine.advance(frames: 480)
        bytes.withLock { $0 = 100 * 4 + 3 }
        machine.advance(frames: 480)
        bytes.withLock { $0 = .max }
        machine.advance(frames: 480)
        let whole = [Float](repeating: 0.25, count: 480)
        #expect(machine.heard(since: start)[0] == whole + whole.prefix(100) + silence(380) + whole)
        engine.stop()
    }

    @Test func sourceNode_afterDetach_isNotCalled_andDecays() throws {
        let machine = try AppMachine()
        let calls = Atomic(0)
        let source = AVAudioSourceNode { _, _, frames, list in
            calls.add(1, ordering: .relaxed)
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: 0.5, count: Int(frames))
            }
            return noErr
        }
        let engine = try start(source, on: machine)
        machine.advance(frames: 4800)
        let count = calls.load(ordering: .relaxed)
        engine.detach(source)
        let start = machine.host.frame
        machine.advance(frames: 960)
        #expect(calls.load(ordering: .relaxed) == count)
        let heard = machine.heard(since: start)[0]
        // The ramp of 240 frames at most, and no step above it.
        #expect(zip([0.5] + heard, heard).allSatisfy { abs($0 - $1) <= 2 * 0.5 / 240 + 1e-6 })
        #expect(heard.dropFirst(240).allSatisfy { $0 == 0 })
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: .stereo)
        machine.advance(frames: 480)
        #expect(calls.load(ordering: .relaxed) == count + 1)
        engine.stop()
    }

    @Test func sourceNode_afterStop_isNotCalled() throws {
        let machine = try AppMachine()
        let calls = History<Call>()
        let engine = try start(AVAudioSourceNode(renderBlock: Self.rampBlock(calls)), on: machine)
        machine.advance(frames: 4800)
        engine.stop()
        let count = calls.count
        machine.advance(frames: 4800)
        #expect(calls.count == count)
        try engine.start()
        machine.advance(frames: 480)
        #expect(calls.count == count + 1)
        engine.stop()
    }

    /// In the cycle itself nothing may wait for the session: the call says so, and the engine runs on.
    @Test func session_calledInTheCycle_throwsBusy_whereItWouldWait() throws {
        let machine = try AppMachine()
        let errors = History<Int>()
        let session = machine.session
        let source = AVAudioSourceNode { _, _, _, _ in
            do { try session.setActive(true) } catch { errors.append((error as NSError).code) }
            return noErr
        }
        let engine = try start(source, on: machine)
        machine.advance(frames: 480)
        #expect(errors.entries == [AVAudioSession.ErrorCode.isBusy.rawValue])
        #expect(engine.isRunning)
        engine.stop()
    }

    @Test func sourceNode_renderedByHand_isCalledForEachRequest() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let calls = History<Call>()
        let source = AVAudioSourceNode(renderBlock: Self.rampBlock(calls))
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: .mono)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 512)
        try engine.start()
        #expect(source.isCalledInRenderCycle)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 512))
        for frames in [512, 100, 0, 1] as [AVAudioFrameCount] { _ = try engine.renderOffline(frames, to: buffer) }
        #expect(calls.entries.map(\.frames) == [512, 100, 1])
        #expect(calls.entries.map(\.sampleTime) == [0, 512, 612])
        #expect(buffer.channels[0] == ramp(613, 1))
    }

    // MARK: Sink nodes

    @Test func sinkNode_isCalledInTheInputsCycle() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let received = History<[Float]>()
        let sink = AVAudioSinkNode { _, frames, list in
            let data = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Float.self)
            received.append((0..<Int(frames)).map { data?[$0] ?? .nan })
            return noErr
        }
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: nil)
        #expect(!sink.isCalledInRenderCycle)
        try engine.start()
        #expect(sink.isCalledInRenderCycle)
        let start = machine.host.frame
        machine.advance(frames: 480)
        #expect(received.entries == [ramp(start, 480)])
        #expect(sink.slowRenderCallCount == 0)
        engine.detach(sink)
        machine.advance(frames: 480)
        #expect(received.count == 1)
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: nil)
        machine.advance(frames: 480)
        #expect(received.entries.last == ramp(start + 960, 480))
        engine.stop()
        machine.advance(frames: 480)
        #expect(received.count == 2)
    }

    @Test func sinkNode_renderedByHand_isCalledOnTheThreadThatRenders() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let thread = Mutex<Thread?>(nil)
        let sink = AVAudioSinkNode { _, _, _ in
            thread.withLock { $0 = Thread.current }
            return noErr
        }
        try engine.enableManualRenderingMode(.realtime, format: .mono, maximumFrameCount: 64)
        let given = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 64))
        given.frameLength = 64
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono) { _ in given.audioBufferList })
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: nil)
        _ = engine.mainMixerNode
        try engine.start()
        let output = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 64))
        output.frameLength = 64
        #expect(engine.manualRenderingBlock(64, output.mutableAudioBufferList, nil) == .success)
        #expect(thread.withLock { $0 } === Thread.current)
    }
}
