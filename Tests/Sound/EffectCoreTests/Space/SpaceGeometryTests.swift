import Foundation
import TestSupport
import Testing

@testable import EffectCore

/// The geometry of environments against formulas in Double, for random and for hostile numbers.
@Suite struct SpaceGeometryTests {
    private typealias Triple = (x: Double, y: Double, z: Double)

    private func triple(_ vector: SpaceVector) -> Triple { (Double(vector.x), Double(vector.y), Double(vector.z)) }

    private func dot(_ a: Triple, _ b: Triple) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

    private func cross(_ a: Triple, _ b: Triple) -> Triple {
        (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    private func random(_ size: Float, _ random: inout Seeded) -> SpaceVector {
        SpaceVector(
            .random(in: -size...size, using: &random), .random(in: -size...size, using: &random),
            .random(in: -size...size, using: &random))
    }

    private func randomOrientation(_ random: inout Seeded) -> SpaceOrientation {
        SpaceOrientation(
            yaw: .random(in: -180...180, using: &random), pitch: .random(in: -89...89, using: &random),
            roll: .random(in: -180...180, using: &random))
    }

    // MARK: Distance

    /// SDK header AVAudioEnvironmentNode.h.
    private func formula(_ distance: SpaceDistance, at metres: Double) -> Double {
        let (reference, rolloff) = (Double(distance.reference), Double(distance.rolloff))
        let (metres, maximum) = (max(metres, reference), Double(distance.maximum))
        let gain =
            switch distance.model {
            case .exponential: pow(metres / reference, -rolloff)
            case .inverse: reference / (reference + rolloff * (metres - reference))
            case .linear: 1 - rolloff * (min(metres, maximum) - reference) / (maximum - reference)
            }
        return min(max(gain, 0), 1)
    }

    @Test(arguments: [SpaceDistance.Model.exponential, .inverse, .linear])
    func gain_isTheFormula_andNeverRisesWithTheDistance(model: SpaceDistance.Model) {
        var random = Seeded(seed: 1094)
        var between = 0
        for _ in 0..<500 {
            var distance = SpaceDistance()
            distance.model = model
            distance.reference = .random(in: 0.1...5, using: &random)
            distance.maximum = distance.reference + .random(in: 1...200, using: &random)
            distance.rolloff = .random(in: 0...5, using: &random)
            let places = (0..<20).map { _ in Float.random(in: 0...250, using: &random) }.sorted()
            let gains = places.map { distance.gain(at: $0) }
            #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 >= $1 })
            for (metres, gain) in zip(places, gains) {
                #expect(abs(Double(gain) - formula(distance, at: Double(metres))) < 1e-4, "\(distance) at \(metres)")
                if gain > 0, gain < 1 { between += 1 }
            }
            // Nearer than the reference, and for the linear model beyond the maximum, nothing changes.
            #expect(distance.gain(at: 0) == 1 && distance.gain(at: distance.reference) == 1)
            if model == .linear { #expect(distance.gain(at: 1e6) == distance.gain(at: distance.maximum)) }
        }
        #expect(between > 1000)
    }

    private static let hostile: [Float] = [
        0, -0.0, 1, -1, 1e-30, -1e-30, 1e30, -1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
    ]

    @Test func gain_ofAnyNumbers_isAShare() {
        var distance = SpaceDistance()
        for model in [SpaceDistance.Model.exponential, .inverse, .linear] {
            for reference in Self.hostile {
                for rolloff in Self.hostile {
                    for maximum in Self.hostile {
                        (distance.model, distance.reference) = (model, reference)
                        (distance.rolloff, distance.maximum) = (rolloff, maximum)
                        for metres in Self.hostile where !metres.isNaN {
                            #expect((0...1).contains(distance.gain(at: metres)), "\(distance) at \(metres)")
                        }
                    }
                }
            }
        }
    }

    // MARK: Orientation

    @Test func orientation_ofAngles_isTheFormula_andComesBack() {
        var random = Seeded(seed: 2094)
        for _ in 0..<2000 {
            let (yaw, roll) = (
                Float.random(in: -179.9...179.9, using: &random), Float.random(in: -179.9...179.9, using: &random)
            )
            let pitch = Float.random(in: -89...89, using: &random)
            let orientation = SpaceOrientation(yaw: yaw, pitch: pitch, roll: roll)
            let (y, p) = (Double(yaw) * .pi / 180, Double(pitch) * .pi / 180)
            // Along the negative z axis at first; the yaw turns that to the right, the pitch upwards.
            let forward: Triple = (sin(y) * cos(p), sin(p), -cos(y) * cos(p))
            #expect(abs(dot(triple(orientation.forward), forward) - 1) < 1e-6)
            // Without a roll the ears are level; the right one goes down by as much as the head is rolled to the right.
            #expect(abs(Double(orientation.right.y) + sin(Double(roll) * .pi / 180) * cos(p)) < 1e-5)
            let angles = orientation.angles
            // Near the poles, a float of the forward vector is some hundredths of a degree.
            for (angle, was) in [(angles.yaw, yaw), (angles.pitch, pitch), (angles.roll, roll)] {
                #expect(abs(angle - was) < 0.05, "\(angles) of \(yaw) \(pitch) \(roll)")
            }
        }
    }

    @Test func orientation_isOrthonormal_whateverItIsMadeOf() {
        var random = Seeded(seed: 3094)
        func check(_ orientation: SpaceOrientation) {
            let (forward, up) = (triple(orientation.forward), triple(orientation.up))
            #expect(abs(dot(forward, forward) - 1) < 1e-5 && abs(dot(up, up) - 1) < 1e-5)
            #expect(abs(dot(forward, up)) < 1e-5)
            let right = triple(orientation.right)
            // Right-handed: to the right of one who looks ahead with the head up.
            #expect(dot(right, cross(forward, up)) > 0.9999)
        }
        for _ in 0..<2000 {
            check(SpaceOrientation(forward: self.random(3, &random), up: self.random(3, &random)))
            func number() -> Float { Self.hostile.randomElement(using: &random) ?? 0 }
            check(
                SpaceOrientation(
                    forward: SpaceVector(number(), number(), number()), up: SpaceVector(number(), number(), number())))
            check(SpaceOrientation(yaw: number(), pitch: number(), roll: number()))
        }
    }

    /// The length of a direction does not matter.
    @Test(arguments: [1e-6, 1e-3, 1, 1e6, 1e18, 1e25, 1e37] as [Float]) func direction_hasNoLength(scale: Float) {
        let up = SpaceOrientation(forward: SpaceVector(scale, scale, -scale), up: SpaceVector(0, scale, 0))
        let one = SpaceOrientation(forward: SpaceVector(1, 1, -1), up: SpaceVector(0, 1, 0))
        for (a, b) in [(up.forward, one.forward), (up.up, one.up)] { #expect(abs(a.dot(b) - 1) < 1e-5) }
    }

    // MARK: Direction

    @Test func direction_isThatOfTheSourceForTheListener() {
        var random = Seeded(seed: 4094)
        for _ in 0..<2000 {
            let (source, listener) = (self.random(20, &random), self.random(20, &random))
            let orientation = randomOrientation(&random)
            let direction = SpaceDirection(of: source, from: listener, orientation)
            let way: Triple = (
                Double(source.x) - Double(listener.x), Double(source.y) - Double(listener.y),
                Double(source.z) - Double(listener.z)
            )
            let length = dot(way, way).squareRoot()
            #expect(abs(Double(direction.distance) - length) < 1e-4)
            guard let unit = direction.unit else {
                #expect(length < 0.0876)
                continue
            }
            let expected = [triple(orientation.right), triple(orientation.up), triple(orientation.forward)]
                .map { dot(way, $0) / length }
            // 20 m in floats to a few micrometres, over a way that may be short.
            let tolerance = 1e-5 + 1e-5 / length
            #expect(
                zip([unit.x, unit.y, unit.z], expected).allSatisfy { abs(Double($0) - $1) < tolerance })
        }
    }

    /// To the right of one who looks ahead, looks to the left, lies on the right side.
    @Test(
        arguments: [
            (0, 0, 0, 1, 0, 0), (-90, 0, 0, 0, 0, -1), (90, 0, 0, 0, 0, 1), (180, 0, 0, -1, 0, 0), (0, 0, 90, 0, -1, 0),
            (0, 90, 0, 1, 0, 0), (0, 0, 180, -1, 0, 0), (90, 0, -90, 0, 1, 0),
        ] as [(Float, Float, Float, Float, Float, Float)])
    func rightEar_pointsThere(yaw: Float, pitch: Float, roll: Float, x: Float, y: Float, z: Float) {
        let orientation = SpaceOrientation(yaw: yaw, pitch: pitch, roll: roll)
        let direction = SpaceDirection(of: SpaceVector(x, y, z), from: SpaceVector(0, 0, 0), orientation)
        #expect(direction.unit.map { $0.x > 0.99999 } == true)
        #expect(direction.equalPower.left < 0.005 && direction.equalPower.right > 0.99999)
    }

    @Test func mirroredSource_hasTheSidesExchanged() {
        var random = Seeded(seed: 5094)
        var asides = 0
        func mirrored(_ vector: SpaceVector) -> SpaceVector { SpaceVector(-vector.x, vector.y, vector.z) }
        for _ in 0..<1000 {
            let (source, listener) = (self.random(20, &random), self.random(20, &random))
            let angles = (
                yaw: Float.random(in: -180...180, using: &random), pitch: Float.random(in: -89...89, using: &random),
                roll: Float.random(in: -180...180, using: &random)
            )
            let one = SpaceDirection(
                of: source, from: listener,
                SpaceOrientation(yaw: angles.yaw, pitch: angles.pitch, roll: angles.roll))
            let other = SpaceDirection(
                of: mirrored(source), from: mirrored(listener),
                SpaceOrientation(yaw: -angles.yaw, pitch: angles.pitch, roll: -angles.roll))
            #expect(abs(one.distance - other.distance) < 1e-4)
            let tolerance = 1e-4 + 1e-4 / one.distance
            #expect(abs(one.equalPower.left - other.equalPower.right) < tolerance)
            #expect(abs(one.equalPower.right - other.equalPower.left) < tolerance)
            if abs(one.equalPower.left - one.equalPower.right) > 0.2 { asides += 1 }
        }
        #expect(asides > 500)
    }

    // MARK: Placing

    private func randomMixing(_ random: inout Seeded) -> SpaceMixing {
        var mixing = SpaceMixing()
        mixing.position = self.random(30, &random)
        mixing.reverbBlend = .random(in: 0...1, using: &random)
        mixing.obstruction = .random(in: -100...0, using: &random)
        mixing.occlusion = .random(in: -100...0, using: &random)
        return mixing
    }

    private func randomScene(_ random: inout Seeded) -> SpaceScene {
        var scene = SpaceScene()
        scene.listener = self.random(30, &random)
        scene.orientation = randomOrientation(&random)
        scene.hasRoom = .random(using: &random)
        scene.distance.model = [.exponential, .inverse, .linear].randomElement(using: &random) ?? .inverse
        scene.distance.maximum = .random(in: 2...80, using: &random)
        return scene
    }

    /// What is in the way, the distance and the room each take their share of a source; nothing is added.
    @Test func placing_dividesTheSourceBetweenTheSidesAndTheRoom() {
        var random = Seeded(seed: 6094)
        for _ in 0..<2000 {
            let (mixing, scene) = (randomMixing(&random), randomScene(&random))
            let volume = Float.random(in: 0...1, using: &random)
            let placing = scene.placing(mixing, volume: volume, channels: 1, hasHeadFilters: false)
            let metres = (mixing.position - scene.listener).length
            let walls = pow(10, Double(mixing.obstruction + mixing.occlusion) / 20)
            let whole = Double(volume) * formula(scene.distance, at: Double(metres)) * walls
            let blend = scene.hasRoom ? Double(mixing.reverbBlend) : 0
            let direct = Double(placing.left * placing.left + placing.right * placing.right).squareRoot()
            #expect(abs(Double(placing.room) - whole * blend) < 1e-4 * max(whole, 1e-6))
            #expect(abs(direct - whole * (1 - blend)) < 1e-3 * max(whole, 1e-6))
            #expect(placing.opening == mixing.obstruction + mixing.occlusion && !placing.isPassedThrough)
            // Only their sum counts.
            var other = mixing
            (other.obstruction, other.occlusion) = (mixing.occlusion, mixing.obstruction)
            #expect(scene.placing(other, volume: volume, channels: 1, hasHeadFilters: false) == placing)
        }
    }

    @Test func listenerAndSource_thatMoveTogether_changeNothing_andABedGoesWithTheListener() {
        var random = Seeded(seed: 7094)
        for _ in 0..<500 {
            var (mixing, scene) = (randomMixing(&random), randomScene(&random))
            // Whole metres: their sums are exact.
            mixing.position = SpaceVector(Float(Int.random(in: -9...9, using: &random)), 2, -3)
            scene.listener = SpaceVector(1, Float(Int.random(in: -9...9, using: &random)), 5)
            let before = scene.placing(mixing, volume: 1, channels: 1, hasHeadFilters: false)
            mixing.sourceMode = .ambienceBed
            let bed = scene.placing(mixing, volume: 1, channels: 2, hasHeadFilters: false)
            let move = SpaceVector(Float(Int.random(in: -99...99, using: &random)), -4, 8)
            scene.listener = scene.listener + move
            #expect(scene.placing(mixing, volume: 1, channels: 2, hasHeadFilters: false) == bed)
            (mixing.sourceMode, mixing.position) = (.spatializeIfMono, mixing.position + move)
            #expect(scene.placing(mixing, volume: 1, channels: 1, hasHeadFilters: false) == before)
        }
    }

    @Test func sourceAtTheListener_andAnyNumbers_haveFiniteShares() {
        var random = Seeded(seed: 8094)
        func number() -> Float { Self.hostile.randomElement(using: &random) ?? 0 }
        for round in 0..<5000 {
            var (mixing, scene) = (randomMixing(&random), randomScene(&random))
            mixing.position = SpaceVector(number(), number(), number())
            scene.listener = round.isMultiple(of: 2) ? mixing.position : SpaceVector(number(), number(), number())
            scene.distance.reference = number()
            let algorithms: [SpaceMixing.Algorithm] = [.equalPower, .headFilter, .automatic, .stereoPassThrough]
            mixing.algorithm = algorithms.randomElement(using: &random) ?? .equalPower
            let placing = scene.placing(mixing, volume: 1, channels: 1, hasHeadFilters: round.isMultiple(of: 3))
            for share in [placing.left, placing.right, placing.room] { #expect((0...1).contains(share)) }
            guard round.isMultiple(of: 2), placing.headDirection == nil, !placing.isPassedThrough else { continue }
            #expect(placing.left == placing.right, "within the head it is in the middle")
        }
    }
}
