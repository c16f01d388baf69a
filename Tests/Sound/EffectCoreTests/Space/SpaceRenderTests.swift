import Foundation
import TestSupport
import Testing

@testable import EffectCore

/// What is rendered of sources that stand and move, against the shares that geometry gives them.
@Suite struct SpaceRenderTests {
    private func mixing(_ x: Float, _ y: Float, _ z: Float) -> SpaceMixing {
        var mixing = SpaceMixing()
        mixing.position = SpaceVector(x, y, z)
        return mixing
    }

    private func random(_ random: inout Seeded) -> SpaceMixing {
        mixing(
            .random(in: -9...9, using: &random), .random(in: -9...9, using: &random),
            .random(in: -9...9, using: &random))
    }

    /// Blocks of random lengths, of so many frames together.
    private func blocks(_ frames: Int, _ random: inout Seeded) -> [Int] {
        var (blocks, rest) = ([Int](), frames)
        while rest > 0 {
            blocks.append(min(Int.random(in: 1...512, using: &random), rest))
            rest -= blocks[blocks.count - 1]
        }
        return blocks
    }

    @Test func buses_areHeardWithTheirShares_inBlocksOfAnyLength() {
        var random = Seeded(seed: 1)
        let sound = ramp(-1000, 2000)
        for _ in 0..<40 {
            let mixings = (0..<3).map { _ in self.random(&random) }
            var scene = SpaceScene()
            scene.listener = SpaceVector(1, 2, 3)
            scene.orientation = SpaceOrientation(yaw: 30, pitch: -20, roll: 10)
            let processor = SpaceBench.processor([1, 1, 1])
            for (bus, mixing) in mixings.enumerated() { SpaceBench.place(processor, mixing, bus: bus, scene: scene) }
            // Each bus has the ramp, negative on the second.
            let inputs = [[sound], [sound.map { -$0 }], [sound]]
            let heard = SpaceBench.render(processor, inputs, channels: 2, blocks: blocks(2000, &random))
            let shares = mixings.map { scene.placing($0, volume: 1, channels: 1, hasHeadFilters: false) }
            let (left, right) = (
                shares[0].left - shares[1].left + shares[2].left, shares[0].right - shares[1].right + shares[2].right
            )
            #expect(zip(heard[0], sound).allSatisfy { abs($0 - $1 * left) < 1e-6 })
            #expect(zip(heard[1], sound).allSatisfy { abs($0 - $1 * right) < 1e-6 })
        }
    }

    @Test func mirroredScene_isHeardWithItsSidesExchanged() {
        var random = Seeded(seed: 2)
        let sound = EchoRoom.speech(seconds: 0.05, seed: 1)
        for _ in 0..<40 {
            var mixing = self.random(&random)
            mixing.obstruction = .random(in: -30...0, using: &random)
            var mirrored = mixing
            mirrored.position = SpaceVector(-mixing.position.x, mixing.position.y, mixing.position.z)
            let heard = [mixing, mirrored].map { mixing in
                let processor = SpaceBench.processor([1])
                SpaceBench.place(processor, mixing)
                return SpaceBench.render(processor, [[sound]])
            }
            #expect(zip(heard[0][0], heard[1][1]).allSatisfy { abs($0 - $1) < 1e-6 })
            #expect(zip(heard[0][1], heard[1][0]).allSatisfy { abs($0 - $1) < 1e-6 })
            #expect(EchoRoom.decibels(heard[0][0]) > -100)
        }
    }

    /// In steps of a few metres at random times; each is a glide of 10 ms, so that no frame makes a step of its own.
    @Test func sourcesThatJump_glide_andArriveAtTheirShares() {
        var random = Seeded(seed: 3)
        for _ in 0..<10 {
            let processor = SpaceBench.processor([1])
            var last = self.random(&random)
            SpaceBench.place(processor, last)
            let heard = SpaceBench.render(
                processor, [[[Float](repeating: 1, count: 48_000)]], channels: 2,
                blocks: [Int](repeating: 96, count: 500)
            ) { frame in
                guard frame < 43_000, Int.random(in: 0..<4, using: &random) == 0 else { return }
                last = self.random(&random)
                if Int.random(in: 0..<20, using: &random) == 0 { last.position = SpaceVector(.nan, 0, 0) }
                SpaceBench.place(processor, last)
            }
            let share = SpaceScene().placing(last, volume: 1, channels: 1, hasHeadFilters: false)
            #expect(abs((heard[0].last ?? 9) - share.left) < 1e-4 && abs((heard[1].last ?? 9) - share.right) < 1e-4)
            for channel in heard {
                #expect(channel.allSatisfy { (0...1).contains($0) })
                // From 0 to 1 at most, of which a cycle of 96 frames does 1 - exp(-96/480), in a straight line.
                let step = zip(channel, channel.dropFirst()).map { abs($0 - $1) }.max() ?? 1
                #expect(step <= 0.1813 / 96 + 1e-6)
            }
        }
    }

    /// A low pass of one pole: 20 kHz with nothing in the way, an octave less for each 10 dB.
    @Test(arguments: [-3, -10, -20, -40, -60] as [Float], [100.0, 1000, 5000, 12_000])
    func wall_lowersASoundByItsDecibels_andByItsLowPass(decibels: Float, hertz: Double) {
        let processor = SpaceBench.processor([1])
        var mixing = mixing(0, 0, -1)
        (mixing.obstruction, mixing.occlusion) = (decibels * 0.25, decibels * 0.75)
        SpaceBench.place(processor, mixing)
        let heard = SpaceBench.render(processor, [[tone(hertz, frames: 9600)]])[0].suffix(4800)
        let cutoff = max(20_000 * pow(2, Double(decibels) / 10), 200)
        let share = 1 - exp(-2 * .pi * cutoff / 48_000)
        let (rest, angle) = (1 - share, 2 * .pi * hertz / 48_000)
        let pole = share / (1 + rest * rest - 2 * rest * cos(angle)).squareRoot()
        // A sine of peak 0.5, half of its power on each side.
        let expected = 20 * log10(0.5 * 0.5 * pole) + Double(decibels)
        #expect(abs(EchoRoom.decibels(heard) - expected) < 0.05)
    }

    @Test func outputsBeyondTwo_areSilent_andALongBlockIs() {
        let processor = SpaceBench.processor([1])
        SpaceBench.place(processor, mixing(1, 0, 0))
        let sound = [Float](repeating: 1, count: 600)
        let heard = SpaceBench.render(processor, [[sound]], channels: 5, blocks: [600])
        #expect(heard.allSatisfy { $0.allSatisfy { $0 == 0 } })
        let next = SpaceBench.render(processor, [[sound]], channels: 5, blocks: [512, 88])
        #expect(next[1].allSatisfy { abs($0 - 1) < 1e-6 })
        #expect([0, 2, 3, 4].allSatisfy { next[$0].allSatisfy { abs($0) < 1e-6 } })
    }

    @Test func busWithoutChannels_orWithoutAPlace_addsNothing() {
        let processor = SpaceBench.processor([1, 1])
        SpaceBench.place(processor, mixing(1, 0, 0))
        let sound = [Float](repeating: 1, count: 64)
        // The second bus has not been placed.
        let heard = SpaceBench.render(processor, [[sound], [sound]])
        #expect(heard[1].allSatisfy { abs($0 - 1) < 1e-6 })
        #expect(SpaceBench.render(processor, [[sound], []])[1].allSatisfy { abs($0 - 1) < 1e-6 })
        // A place that no bus has.
        processor.place(bus: 2, SpacePlacing())
        processor.place(bus: -1, SpacePlacing())
    }

    // MARK: The room

    @Test func room_getsAsMuchOfASource_asItsBlendSays() {
        func tail(_ blend: Float) -> Double {
            let processor = SpaceBench.processor([1])
            var (mixing, scene) = (mixing(0, 0, -1), SpaceScene())
            (mixing.reverbBlend, scene.hasRoom) = (blend, true)
            SpaceBench.place(processor, mixing, scene: scene)
            _ = SpaceBench.render(processor, [[EchoRoom.speech(seconds: 0.2, seed: 4)]], block: 480)
            let silence = [[[Float](repeating: 0, count: 9600)]]
            return EchoRoom.decibels(SpaceBench.render(processor, silence, block: 480)[0])
        }
        let whole = tail(1)
        #expect(whole > -60 && tail(0) < -119)
        for blend in [0.5, 0.25, 0.1] as [Float] {
            #expect(abs(tail(blend) - whole - 20 * log10(Double(blend))) < 0.1)
        }
    }

    /// Of two sources the room hears the sum; what passes through as it is, it does not hear.
    @Test func room_hearsEverySource_butNotWhatPassesThrough() {
        let sound = EchoRoom.speech(seconds: 0.2, seed: 5)
        func tail(_ inputs: [[[Float]]], _ change: (inout SpaceMixing) -> Void) -> Double {
            let processor = SpaceBench.processor(inputs.map(\.count))
            var (mixing, scene) = (mixing(0, 0, -1), SpaceScene())
            (mixing.reverbBlend, scene.hasRoom) = (0.5, true)
            change(&mixing)
            for bus in inputs.indices { SpaceBench.place(processor, mixing, bus: bus, scene: scene) }
            _ = SpaceBench.render(processor, inputs, block: 480)
            let silence = inputs.map { $0.map { _ in [Float](repeating: 0, count: 9600) } }
            return EchoRoom.decibels(SpaceBench.render(processor, silence, block: 480)[0])
        }
        let one = tail([[sound]]) { _ in }
        #expect(abs(tail([[sound], [sound]]) { _ in } - one - 20 * log10(2)) < 0.1)
        #expect(tail([[sound], [sound.map { -$0 }]]) { _ in } < -100)
        #expect(tail([[sound]]) { $0.sourceMode = .bypass } < -119)
        #expect(tail([[sound, sound]]) { _ in } < -119)
        #expect(abs(tail([[sound, sound]]) { $0.sourceMode = .pointSource } - one) < 0.1)
    }

    // MARK: Heads

    /// Each ear hears its side's share of the sound after its own time.
    private final class Head: HeadFilters {
        let taps = 24

        func filter(from direction: SpaceVector) -> [Float] {
            var filter = [Float](repeating: 0, count: 48)
            filter[Int(4 + 4 * direction.x)] = 0.5 - direction.x / 2
            filter[24 + Int(4 - 4 * direction.x)] = 0.5 + direction.x / 2
            return filter
        }
    }

    @Test func head_hearsEachSideWithItsFilter_inBlocksOfAnyLength() {
        var random = Seeded(seed: 6)
        let sound = ramp(1, 1500)
        for x in [-1, 1] as [Float] {
            let processor = SpaceBench.processor([1], Head())
            var mixing = mixing(x * 2, 0, 0)
            mixing.algorithm = .headFilter
            SpaceBench.place(processor, mixing)
            let heard = SpaceBench.render(processor, [[sound]], channels: 2, blocks: blocks(1500, &random))
            let near = heard[x > 0 ? 1 : 0]
            // At 2 m half as loud, all of it at the near ear, at once.
            #expect(zip(near, sound).allSatisfy { abs($0 - $1 / 2) < 1e-6 })
            #expect(heard[x > 0 ? 0 : 1].allSatisfy { $0 == 0 })
        }
    }

    /// Around the head in steps: from one filter to the next within a block, without a hole and without a click.
    @Test func head_thatTurns_hearsNoClick() {
        let processor = SpaceBench.processor([1], Head())
        var (mixing, scene) = (mixing(0, 0, -1), SpaceScene())
        mixing.algorithm = .headFilter
        var yaw: Float = 0
        let heard = SpaceBench.render(
            processor, [[[Float](repeating: 1, count: 48_000)]], channels: 2, blocks: [Int](repeating: 480, count: 100)
        ) { _ in
            yaw += 25
            scene.orientation = SpaceOrientation(yaw: yaw, pitch: 0, roll: 0)
            SpaceBench.place(processor, mixing, scene: scene)
        }
        for channel in heard {
            let settled = channel.dropFirst(24)
            #expect(settled.allSatisfy { (-1e-6...1.000001).contains($0) })
            let step = zip(settled, settled.dropFirst()).map { abs($0 - $1) }.max() ?? 1
            // From 1 to 0 within a block of 480 frames at most.
            #expect(step < 1.0 / 480 + 1e-5)
        }
        // The ears hear the whole together, whatever the direction.
        #expect(zip(heard[0], heard[1]).dropFirst(960).allSatisfy { abs($0 + $1 - 1) < 1e-5 })
    }
}
