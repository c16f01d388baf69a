import CRealtime
import Foundation
import TestSupport
import Testing

@testable import EffectCore

/// Where sound in an environment comes from, and how loud it is there.
@Suite struct SpaceTests {
    // MARK: Formulas

    /// SDK header AVAudioEnvironmentNode.h.
    @Test func distanceModels_areApplesFormulas() {
        var distance = SpaceDistance()
        (distance.reference, distance.rolloff, distance.maximum) = (2, 1.5, 50)
        for metres: Float in [2, 3, 10, 49] {
            let beyond = metres - 2
            let inverse: Float = 2 / (2 + 1.5 * beyond)
            let exponential = Float(pow(Double(metres) / 2, -1.5))
            let linear: Float = max(0, 1 - 1.5 * beyond / 48)
            for (model, gain) in [
                (SpaceDistance.Model.inverse, inverse), (.exponential, exponential), (.linear, linear),
            ] {
                distance.model = model
                #expect(abs(distance.gain(at: metres) - gain) < 1e-6)
            }
        }
        for model in [SpaceDistance.Model.inverse, .exponential, .linear] {
            distance.model = model
            #expect(distance.gain(at: 0.5) == 1)
        }
    }

    @Test func distanceModel_withoutAValue_doesNotAttenuate() {
        var distance = SpaceDistance()
        distance.model = .linear
        (distance.reference, distance.maximum) = (5, 5)
        #expect(distance.gain(at: 20) == 1)
        (distance.model, distance.reference) = (.exponential, 0)
        #expect((0...1).contains(distance.gain(at: 20)))
        distance.rolloff = .nan
        #expect(distance.gain(at: 20) == 1)
    }

    @Test func orientation_byAngles_isTheOneByVectors() {
        for (yaw, pitch, roll) in [(0, 0, 0), (90, 0, 0), (-45, 30, 0), (120, -60, 20), (10, 5, -170)]
            as [(Float, Float, Float)]
        {
            let orientation = SpaceOrientation(yaw: yaw, pitch: pitch, roll: roll)
            let same = SpaceOrientation(forward: orientation.forward, up: orientation.up)
            #expect(abs(same.angles.yaw - yaw) < 0.01 && abs(same.angles.pitch - pitch) < 0.01)
            #expect(abs(same.angles.roll - roll) < 0.01)
        }
        // To the right, clockwise from above.
        let right = SpaceOrientation(yaw: 90, pitch: 0, roll: 0)
        #expect(abs(right.forward.x - 1) < 1e-6 && abs(right.forward.z) < 1e-6)
        #expect(SpaceOrientation(forward: SpaceVector(0, 0, 0), up: SpaceVector(0, 1, 0)) == SpaceOrientation())
    }

    @Test func equalPower_keepsThePower_andEachSideItsOwn() {
        let ahead = SpaceOrientation()
        func gains(_ x: Float, _ y: Float, _ z: Float) -> (left: Float, right: Float) {
            SpaceDirection(of: SpaceVector(x, y, z), from: SpaceVector(0, 0, 0), ahead).equalPower
        }
        #expect(abs(gains(0, 0, -3).left - Float(0.5).squareRoot()) < 1e-6)
        #expect(gains(5, 0, 0).left < 1e-6 && abs(gains(5, 0, 0).right - 1) < 1e-6)
        #expect(gains(-5, 0, 0).right < 1e-6)
        for degrees in stride(from: 0.0, to: 360, by: 15) {
            let angle = degrees * .pi / 180
            let pair = gains(Float(sin(angle)), 0.3, Float(-cos(angle)))
            let power: Float = pair.left * pair.left + pair.right * pair.right
            #expect(abs(power - 1) < 1e-5)
        }
        // A listener who looks to the right has on the left what was ahead.
        let turned = SpaceDirection(
            of: SpaceVector(0, 0, -1), from: SpaceVector(0, 0, 0), SpaceOrientation(yaw: 90, pitch: 0, roll: 0))
        #expect(abs(turned.equalPower.left - 1) < 1e-6)
    }

    // MARK: Sound

    @Test func source_isHeardWithItsGains_fromTheFirstFrame() {
        let processor = SpaceBench.processor([1])
        var mixing = SpaceMixing()
        mixing.position = SpaceVector(3, 0, -4)
        SpaceBench.place(processor, mixing)
        let heard = SpaceBench.render(processor, [[[Float](repeating: 1, count: 128)]])
        let angle = (0.6 + 1) * Double.pi / 4
        let (left, right) = (Float(0.2 * cos(angle)), Float(0.2 * sin(angle)))
        #expect(heard[0].allSatisfy { abs($0 - left) < 1e-6 })
        #expect(heard[1].allSatisfy { abs($0 - right) < 1e-6 })
    }

    /// From the far left to the far right in one step: no frame differs from the one before by more than a 10 ms glide makes.
    @Test func movingSource_doesNotClick() {
        let processor = SpaceBench.processor([1])
        var mixing = SpaceMixing()
        mixing.position = SpaceVector(-1, 0, 0)
        SpaceBench.place(processor, mixing)
        let heard = SpaceBench.render(processor, [[[Float](repeating: 1, count: 9600)]]) { frame in
            guard frame == 640 else { return }
            mixing.position = SpaceVector(1, 0, 0)
            SpaceBench.place(processor, mixing)
        }
        for channel in heard {
            let step = zip(channel, channel.dropFirst()).map { abs($0 - $1) }.max() ?? 1
            #expect(step < 1.0 / 400)
        }
        #expect(heard[0].last.map { $0 < 0.001 } == true && heard[1].last.map { $0 > 0.999 } == true)
    }

    @Test func room_getsTheShareOfASource_andIsHeardAfterIt() {
        let processor = SpaceBench.processor([1])
        var (mixing, scene) = (SpaceMixing(), SpaceScene())
        mixing.position = SpaceVector(1, 0, 0)
        mixing.reverbBlend = 1
        SpaceBench.place(processor, mixing, scene: scene)
        let noise = (0..<4800).map { Float(($0 * 7919) % 2000) / 1000 - 1 }
        #expect(SpaceBench.render(processor, [[noise]])[1] == noise, "no room, no share of it")
        scene.hasRoom = true
        SpaceBench.place(processor, mixing, scene: scene)
        _ = SpaceBench.render(processor, [[noise + noise]])
        let tail = SpaceBench.render(processor, [[[Float](repeating: 0, count: 4800)]])
        #expect(tail.allSatisfy { channel in channel.contains { abs($0) > 0.001 } })
        // The medium hall decays in 1.8 s.
        let end = SpaceBench.render(processor, [[[Float](repeating: 0, count: 5 * 48_000)]])
        #expect(end.allSatisfy { channel in channel.suffix(4800).allSatisfy { abs($0) < 1e-5 } })
    }

    @Test func stereo_passesThrough_unlessItIsAPoint() {
        let processor = SpaceBench.processor([2])
        var mixing = SpaceMixing()
        mixing.position = SpaceVector(5, 0, 0)
        SpaceBench.place(processor, mixing)
        let stereo = [[Float](repeating: 0.5, count: 64), [Float](repeating: -0.25, count: 64)]
        #expect(SpaceBench.render(processor, [stereo]) == stereo)
        mixing.sourceMode = .pointSource
        let point = SpaceBench.processor([2])
        SpaceBench.place(point, mixing)
        // Their mean, a fifth as loud, on the right alone.
        let heard = SpaceBench.render(point, [stereo])
        #expect(heard[0].allSatisfy { abs($0) < 1e-6 } && heard[1].allSatisfy { abs($0 - 0.025) < 1e-6 })
        mixing.algorithm = .stereoPassThrough
        SpaceBench.place(point, mixing)
        #expect(SpaceBench.render(point, [stereo]).map(\.count) == [64, 64])
    }

    @Test func busesAreAdded_andAMonoOutputHasBothSides() {
        let processor = SpaceBench.processor([1, 1])
        SpaceBench.place(processor, SpaceMixing())
        SpaceBench.place(processor, SpaceMixing(), bus: 1)
        let one = [[Float](repeating: 0.25, count: 64)]
        let heard = SpaceBench.render(processor, [one, one], channels: 1)
        // Within the head each side has half of the power.
        #expect(heard[0].allSatisfy { abs($0 - 0.5) < 1e-6 })
    }

    /// A tone at 8 kHz behind a wall of 20 dB: 20 dB by the wall, and more by its low pass at 5 kHz.
    @Test func obstruction_lowersHighSoundMore() {
        func level(_ hertz: Double, _ obstruction: Float) -> Double {
            let processor = SpaceBench.processor([1])
            var mixing = SpaceMixing()
            (mixing.position, mixing.obstruction) = (SpaceVector(0, 0, -1), obstruction)
            SpaceBench.place(processor, mixing)
            return EchoRoom.decibels(SpaceBench.render(processor, [[tone(hertz, frames: 9600)]])[0].suffix(4800))
        }
        #expect(abs(level(100, 0) - level(100, -20) - 20) < 0.2)
        #expect(level(8000, 0) - level(8000, -20) > 24)
    }

    /// A head whose left ear hears everything 3 frames later and half as loud.
    private final class Head: HeadFilters {
        let taps = 16

        func filter(from direction: SpaceVector) -> [Float] {
            var filter = [Float](repeating: 0, count: 32)
            filter[3] = 0.5
            filter[16] = direction.x
            return filter
        }
    }

    @Test func headFilter_isConvolved_acrossBlocks() {
        let processor = SpaceBench.processor([1], Head())
        var mixing = SpaceMixing()
        (mixing.position, mixing.algorithm) = (SpaceVector(1, 0, 0), .headFilter)
        SpaceBench.place(processor, mixing)
        let sound = (0..<200).map { Float($0) }
        let heard = SpaceBench.render(processor, [[sound]], block: 7)
        let late: [Float] = [0, 0, 0] + sound.dropLast(3).map { $0 * 0.5 }
        #expect(heard[0] == late)
        #expect(zip(heard[1], sound).allSatisfy { abs($0 - $1) < 1e-3 })
    }

    @Test func head_withoutFilters_isPanned() {
        let processor = SpaceBench.processor([1])
        var mixing = SpaceMixing()
        (mixing.position, mixing.algorithm) = (SpaceVector(1, 0, 0), .headFilterHighQuality)
        SpaceBench.place(processor, mixing)
        let heard = SpaceBench.render(processor, [[[Float](repeating: 1, count: 64)]])
        #expect(heard[0].allSatisfy { abs($0) < 1e-6 } && heard[1].allSatisfy { abs($0 - 1) < 1e-6 })
    }
}
