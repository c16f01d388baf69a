import AudioModel
import AudioRuntime
import CRealtime
import EngineCore
import Foundation
import RuntimeTestSupport
import Synchronization
import TestAudio
import Testing

@testable import ProgramRuntime

/// A file that goes through effects.
@Suite struct FilePlayerEffectTests {
    private func player(_ machine: RuntimeMachine, _ units: [any ProcessorUnit], frames: Int = 48_000) throws
        -> FilePlayer
    {
        let player = try machine.player(
            try TestFile.write(.ramp, seconds: Double(frames) / 48_000, in: machine.directory))
        try player.setEffects(units)
        return player
    }

    @Test func effects_changeTheSound_andTheirDelayIsTakenOut() throws {
        let machine = try RuntimeMachine()
        let player = try player(machine, [HalfUnit(delay: 100), HalfUnit(delay: 3000)])
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 24_000)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<24_000, gain: 0.25))
        // The position is that of the file.
        #expect(player.status.position == 0.5)
        player.close()
    }

    @Test func unplug_pausesAsWithoutEffects_andNoFrameIsHeardElsewhere() throws {
        let machine = try RuntimeMachine()
        let player = try player(machine, [HalfUnit(delay: 100)])
        try player.play()
        machine.advance(frames: 9600)
        machine.unplugHeadphones()
        let unplugged = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(on: RuntimeMachine.speaker).allSatisfy { $0.allSatisfy { $0 == 0 } })
        #expect(machine.states == ["playing (user)", "paused (oldDeviceUnavailable)"])
        #expect(player.status.position == 0.2)
        machine.plug(.wiredHeadphones)
        let replugged = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        let heard = machine.heard(since: replugged)
        // It fades in over 5 ms, and goes on where it was.
        #expect(heard.map { Array($0[240...]) } == TestSignal.ramp.planar(9840..<14_400, gain: 0.5))
        #expect(replugged > unplugged)
        player.close()
    }

    @Test func tail_isHeardAfterTheEnd_andThenThePlayerIsDone() throws {
        let machine = try RuntimeMachine()
        let player = try player(machine, [HalfUnit(delay: 100, echo: 12_000)], frames: 4800)
        let start = machine.host.frame
        try player.play()
        machine.playToTheEnd(player, atMostSeconds: 5)
        let heard = machine.heard(since: start)
        #expect(heard.map { Array($0[..<4800]) } == TestSignal.ramp.planar(0..<4800, gain: 0.5))
        #expect(heard.map { Array($0[12_000..<16_800]) } == TestSignal.ramp.planar(0..<4800, gain: 0.5))
        #expect(machine.states.last == "finished (user)" || machine.states.last?.hasPrefix("finished") ?? false)
        // Again from the beginning: without what was left before.
        let again = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: again) == TestSignal.ramp.planar(0..<4800, gain: 0.5))
        player.close()
    }

    @Test func seek_forgetsWhatTheEffectHolds() throws {
        let machine = try RuntimeMachine()
        let player = try player(machine, [HalfUnit(echo: 2400)])
        try player.play()
        machine.advance(frames: 9600)
        player.seek(toSeconds: 0.5)
        machine.advance(frames: 4800)
        let start = machine.host.frame
        machine.advance(frames: 480)
        // The old place fades out first.
        let frame = 28_800 - RuntimeMachine.fade
        let sound = TestSignal.ramp.planar(frame - 2400..<frame + 480, gain: 0.5)
        let echo = sound.map { sound in zip(sound[2400...], sound).map { $0 + $1 } }
        #expect(machine.heard(since: start) == echo)
        player.close()
    }

    @Test func effectThatRefusesTheSound_leavesThePlayerAsItWas() throws {
        let machine = try RuntimeMachine()
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        let error = #expect(throws: SessionError.self) {
            try player.setEffects([HalfUnit(), HalfUnit(mostChannels: 1)])
        }
        #expect(error?.message.contains("takes 1 channel") ?? false)
        let start = machine.host.frame
        try player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
        player.close()
    }
}

/// Halves its input, late, and with one echo.
private final class HalfUnit: ProcessorUnit {
    private let delay: Int
    private let echo: Int?
    private let mostChannels: Int

    init(delay: Int = 0, echo: Int? = nil, mostChannels: Int = 8) {
        (self.delay, self.echo, self.mostChannels) = (delay, echo, mostChannels)
    }

    func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
        guard shape.output.channels.count <= mostChannels else {
            throw .unitRefused(unit: title, reason: "It takes \(mostChannels) channel.")
        }
    }

    func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        HalfProcessor(delay: delay, echo: echo, channels: shape.output.channels.count)
    }
}

/// `@unchecked Sendable`: the thread that feeds has it.
private final class HalfProcessor: UnitProcessor, @unchecked Sendable {
    let latencyFrames: Int
    private let echo: Int?
    private var past: [[Float]]

    init(delay: Int, echo: Int?, channels: Int) {
        (latencyFrames, self.echo) = (delay, echo)
        past = [[Float]](repeating: [], count: channels)
    }

    var processor: oav_processor {
        oav_processor(
            process: { context, process in
                guard let context else { return }
                Unmanaged<HalfProcessor>.fromOpaque(context).takeUnretainedValue().process(process.pointee)
            },
            reset: nil, context: Unmanaged.passUnretained(self).toOpaque(), quiet_frames: 0)
    }

    private func process(_ process: oav_process) {
        for channel in past.indices {
            let input = UnsafeBufferPointer(start: process.inputs[0].channels[channel], count: Int(process.frames))
            let begin = past[channel].count
            past[channel] += input
            for frame in 0..<Int(process.frames) {
                let now = begin + frame - latencyFrames
                var sample = now >= 0 ? past[channel][now] * 0.5 : 0
                if let echo, now >= echo { sample += past[channel][now - echo] * 0.5 }
                process.output.channels[channel][frame] = sample
            }
        }
    }
}
