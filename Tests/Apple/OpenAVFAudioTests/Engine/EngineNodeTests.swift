import CAudioTypes
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio

/// What nodes do beside playing into a mixer.
@Suite struct EngineNodeTests {
    @Test func reset_dropsQueues_andSetsTheTimeToZero() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineRenderedByHand(.offline, .mono, maximumFrames: 480)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 4800)]))
        player.play()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 480))
        _ = try engine.renderOffline(480, to: buffer)
        #expect(engine.manualRenderingSampleTime == 480)
        engine.reset()
        #expect(engine.manualRenderingSampleTime == 0)
        #expect(!player.isPlaying)
        // What sounded decays; then nothing is left.
        _ = try engine.renderOffline(480, to: buffer)
        _ = try engine.renderOffline(480, to: buffer)
        #expect(buffer.channels == [silence(480)])
    }

    @Test func pauseOfAPlayer_holdsItsPlace() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 48_000)]))
        player.play()
        machine.advance(frames: 4800)
        player.pause()
        #expect(!player.isPlaying)
        machine.advance(frames: 4800)
        let silent = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: silent)[0] == silence(4800))
        player.play()
        let resumed = machine.host.frame
        machine.advance(frames: 4800)
        // A fade of 5 ms out and one in: the place moves with what sounds.
        #expect(machine.heard(since: resumed)[0].dropFirst(240) == ramp(4801 + 480, 4560)[...])
        #expect(engine.isRunning)
    }

    @Test func asyncForms_returnWhenTheDataHasComeSoFar() async throws {
        let machine = try AppMachine()
        let directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: 0.1, format: .wav16, in: directory)
        let (engine, player) = try machine.engineWithPlayer()
        let parts = Parts(
            player: player, buffer: AVAudioPCMBuffer([ramp(1, 4800), ramp(1, 4800)]),
            file: try AVAudioFile(forReading: URL(fileURLWithPath: path)))
        player.play()
        let history = History<String>()
        let task = Task {
            let (player, buffer, file) = (parts.player, parts.buffer, parts.file)
            await player.scheduleBuffer(buffer)
            await player.scheduleBuffer(buffer, at: nil, options: [])
            history.append("buffers")
            history.append("\(await player.scheduleBuffer(buffer, completionCallbackType: .dataRendered))")
            history.append(
                "\(await player.scheduleBuffer(buffer, at: nil, options: [], completionCallbackType: .dataConsumed))")
            await player.scheduleFile(file, at: nil)
            history.append("\(await player.scheduleFile(file, at: nil, completionCallbackType: .dataPlayedBack))")
            await player.scheduleSegment(file, startingFrame: 0, frameCount: 100, at: nil)
            let last = await player.scheduleSegment(
                file, startingFrame: 0, frameCount: 100, at: nil, completionCallbackType: .dataRendered)
            history.append("\(last)")
        }
        // Time goes on until the task has come to its end; a fault would end the loop, not hang it.
        for _ in 0..<100_000 where history.entries.count < 5 {
            machine.advance(frames: 480)
            await Task.yield()
        }
        #expect(history.entries == ["buffers", "dataRendered", "dataConsumed", "dataPlayedBack", "dataRendered"])
        await task.value
        withExtendedLifetime(engine) {}
    }

    /// `@unchecked Sendable`: one task uses it.
    private struct Parts: @unchecked Sendable {
        let player: AVAudioPlayerNode
        let buffer: AVAudioPCMBuffer
        let file: AVAudioFile
    }

    @Test func sourceNode_withAFormatOfItsOwn_isConverted() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        // Mono at half the rate, as integers.
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 24_000, channels: 1, interleaved: true))
        let source = AVAudioSourceNode(format: format) { _, _, frames, list in
            guard let data = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Int16.self) else { return -1 }
            for frame in 0..<Int(frames) { data[frame] = 16_384 }
            return noErr
        }
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: .stereo)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 9600)
        let heard = machine.heard(since: start)
        // The filter has settled after 10 ms and ripples by less than that.
        #expect(heard.allSatisfy { $0[480...].allSatisfy { abs($0 - 0.5) < 0.001 } })
    }

    @Test func sourceNode_thatSaysSilenceOrFails_isSilent() throws {
        for isFault in [false, true] {
            let machine = try AppMachine()
            let engine = machine.engine()
            let source = AVAudioSourceNode { isSilence, _, frames, list in
                for buffer in UnsafeMutableAudioBufferListPointer(list) {
                    buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: 1, count: Int(frames))
                }
                isSilence.pointee = ObjCBool(!isFault)
                return isFault ? -1 : noErr
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: .mono)
            try engine.start()
            let start = machine.host.frame
            machine.advance(frames: 960)
            #expect(machine.heard(since: start) == [silence(960), silence(960)])
        }
    }

    @Test func latencies_areTheStreams() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        _ = engine.mainMixerNode
        #expect(engine.outputNode.presentationLatency == 0)
        try engine.start()
        // The simulated machine is a cycle late.
        #expect(engine.outputNode.presentationLatency == 480.0 / 48_000)
        #expect(engine.mainMixerNode.outputPresentationLatency == 480.0 / 48_000)
        engine.stop()
        #expect(engine.outputNode.presentationLatency == 0)
    }

    @Test func unit_tellsWhatItsNodeIs() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let unit = engine.outputNode.auAudioUnit
        #expect(unit.isRunning && unit.canPerformOutput && unit.isOutputEnabled)
        #expect(unit.maximumFramesToRender == 8192)
        #expect(unit.audioUnitName == "output")
        #expect(unit.latency == 0 && unit.tailTime == 0)
        #expect(!player.auAudioUnit.canPerformOutput)
        engine.stop()
        #expect(!unit.isRunning)
    }
}
