import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Environments through an engine rendered by hand, against the formulas that Apple documents.
@Suite struct EngineSpaceGeometryTests {
    private let bench: EnvironmentBench

    init() throws { bench = try EnvironmentBench() }

    private var player: AVAudioPlayerNode { bench.player }
    private var environment: AVAudioEnvironmentNode { bench.environment }

    /// What is heard, as a share of the source: its loudness, and the share to the right of -1 to 1.
    private func heard() throws -> (gain: Double, side: Double) {
        let frame = try bench.render()
        let (left, right) = (Double(frame[0]) / 0.5, Double(frame[1]) / 0.5)
        return ((left * left + right * right).squareRoot(), atan2(right, left) * 4 / .pi - 1)
    }

    // MARK: Distance

    /// SDK header AVAudioEnvironmentNode.h; reference 2 m, maximum 20 m, rolloff 1.5.
    private func formula(_ model: AVAudioEnvironmentDistanceAttenuationModel, at metres: Double) -> Double {
        switch model {
        case .inverse: 2 / (2 + 1.5 * (metres - 2))
        case .exponential: pow(metres / 2, -1.5)
        case .linear: 1 - 1.5 * (min(metres, 20) - 2) / 18
        @unknown default: .nan
        }
    }

    @Test(arguments: [AVAudioEnvironmentDistanceAttenuationModel.inverse, .exponential, .linear])
    func loudness_isTheFormulaOfItsModel(model: AVAudioEnvironmentDistanceAttenuationModel) throws {
        let parameters = environment.distanceAttenuationParameters
        parameters.distanceAttenuationModel = model
        (parameters.referenceDistance, parameters.maximumDistance, parameters.rolloffFactor) = (2, 20, 1.5)
        try bench.startByHand()
        var last = 2.0
        for metres in [0, 0.5, 2, 2.5, 4, 8, 12, 20, 200] {
            // Half to the right, so that both sides count.
            player.position = AVAudio3DPoint(x: Float(metres * 0.6), y: 0, z: Float(metres * -0.8))
            let gain = try heard().gain
            #expect(abs(gain - min(max(formula(model, at: max(metres, 2)), 0), 1)) < 2e-4, "\(metres) m")
            #expect(gain <= last + 1e-6)
            last = gain
        }
    }

    @Test func distanceParametersThatMakeNoSense_leaveTheSoundWithinItsLevel() throws {
        let parameters = environment.distanceAttenuationParameters
        player.position = AVAudio3DPoint(x: 3, y: 0, z: 0)
        try bench.startByHand()
        for number in [0, -1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] as [Float]
        {
            for model in [AVAudioEnvironmentDistanceAttenuationModel.exponential, .inverse, .linear] {
                parameters.distanceAttenuationModel = model
                parameters.referenceDistance = number
                let frames = try bench.renderAll(blocks: 2)
                parameters.referenceDistance = 1
                parameters.rolloffFactor = number
                let others = try bench.renderAll(blocks: 2)
                (parameters.rolloffFactor, parameters.maximumDistance) = (1, number)
                let more = try bench.renderAll(blocks: 2)
                parameters.maximumDistance = 100_000
                for channel in frames + others + more { #expect(channel.allSatisfy { (0...0.5001).contains($0) }) }
            }
        }
        parameters.distanceAttenuationModel = .inverse
        #expect(abs(try heard().gain - 1.0 / 3) < 1e-4)
    }

    // MARK: Direction

    @Test func sourceAroundTheListener_isAsLoudEverywhere_andWhereItIs() throws {
        try bench.startByHand()
        for degrees in stride(from: -180.0, to: 180, by: 24) {
            let angle = degrees * .pi / 180
            player.position = AVAudio3DPoint(x: Float(4 * sin(angle)), y: 0, z: Float(-4 * cos(angle)))
            let (gain, side) = try heard()
            #expect(abs(gain - 0.25) < 2e-4 && abs(side - sin(angle)) < 2e-3, "\(degrees)°")
        }
        // Straight above it is in the middle.
        player.position = AVAudio3DPoint(x: 0, y: 4, z: 0)
        #expect(abs(try heard().side) < 2e-3)
    }

    @Test func listenerThatTurns_hearsTheSourceTurnTheOtherWay() throws {
        player.position = AVAudio3DPoint(x: 0, y: 0, z: -2)
        try bench.startByHand()
        for (yaw, pitch, roll) in [(30, 0, 0), (-70, 0, 0), (0, 50, 0), (0, 0, 90), (140, 30, -20)]
            as [(Float, Float, Float)]
        {
            environment.listenerAngularOrientation = AVAudio3DAngularOrientation(yaw: yaw, pitch: pitch, roll: roll)
            let (gain, side) = try heard()
            // The right ear, at a level head: (cos yaw, 0, sin yaw); a roll turns it down.
            let (y, p, r) = (Double(yaw) * .pi / 180, Double(pitch) * .pi / 180, Double(roll) * .pi / 180)
            let upZ = cos(y) * sin(p)
            let rightZ = sin(y) * cos(r) - upZ * sin(r)
            #expect(abs(gain - 0.5) < 2e-4 && abs(side + rightZ) < 3e-3, "\(yaw) \(pitch) \(roll)")
        }
    }

    @Test func mirroredSources_areHeardWithTheirSidesExchanged() throws {
        var random = Seeded(seed: 94)
        try bench.startByHand()
        for _ in 0..<10 {
            let point = AVAudio3DPoint(
                x: .random(in: -9...9, using: &random), y: .random(in: -9...9, using: &random),
                z: .random(in: -9...9, using: &random))
            player.position = point
            let one = try bench.render()
            player.position = AVAudio3DPoint(x: -point.x, y: point.y, z: point.z)
            let other = try bench.render()
            #expect(abs(one[0] - other[1]) < 2e-5 && abs(one[1] - other[0]) < 2e-5, "\(point)")
        }
    }

    @Test func positionThatIsNoNumber_isWithinTheHead_andTheNextOneCounts() throws {
        player.position = AVAudio3DPoint(x: 2, y: 0, z: 0)
        try bench.startByHand()
        for point in [
            AVAudio3DPoint(x: .nan, y: 0, z: 0), AVAudio3DPoint(x: 0, y: .infinity, z: 0), environment.listenerPosition,
        ] {
            player.position = point
            let (gain, side) = try heard()
            #expect(abs(gain - 1) < 2e-4 && abs(side) < 2e-3, "\(point)")
        }
        environment.listenerPosition = AVAudio3DPoint(x: 0, y: 0, z: .nan)
        player.position = AVAudio3DPoint(x: 2, y: 0, z: 0)
        #expect(abs(try heard().side) < 2e-3)
        environment.listenerPosition = AVAudio3DPoint()
        let (gain, side) = try heard()
        #expect(abs(gain - 0.5) < 2e-4 && abs(side - 1) < 2e-3)
    }

    // MARK: Several sources

    @Test func sources_areAdded_eachFromItsPlace() throws {
        let other = AVAudioPlayerNode()
        bench.engine.attach(other)
        bench.engine.connect(other, to: environment, format: .mono)
        player.position = AVAudio3DPoint(x: -2, y: 0, z: 0)
        other.position = AVAudio3DPoint(x: 4, y: 0, z: 0)
        try bench.startByHand()
        bench.play(other, 0.25)
        var frame = try bench.render()
        #expect(abs(frame[0] - 0.25) < 1e-4 && abs(frame[1] - 0.0625) < 1e-4)
        // One that stops leaves the other as it is.
        player.stop()
        frame = try bench.render()
        #expect(abs(frame[0]) < 1e-4 && abs(frame[1] - 0.0625) < 1e-4)
        environment.listenerPosition = AVAudio3DPoint(x: 6, y: 0, z: 0)
        frame = try bench.render()
        #expect(abs(frame[0] - 0.125) < 1e-4 && abs(frame[1]) < 1e-4)
    }

    @Test func ambienceBed_isAsLoudEverywhere_andTurnsWithTheListener() throws {
        player.sourceMode = .ambienceBed
        player.position = AVAudio3DPoint(x: 3, y: 0, z: 0)
        try bench.startByHand()
        for point in [AVAudio3DPoint(), AVAudio3DPoint(x: 50, y: -8, z: 3)] {
            environment.listenerPosition = point
            let (gain, side) = try heard()
            #expect(abs(gain - 1) < 2e-4 && abs(side - 1) < 2e-3)
        }
        environment.listenerAngularOrientation = AVAudio3DAngularOrientation(yaw: 180, pitch: 0, roll: 0)
        #expect(abs(try heard().side + 1) < 2e-3)
    }

    @Test(arguments: [(-6, 0), (0, -6), (-12, -12), (-100, -100)] as [(Float, Float)])
    func wallsBetween_lowerTheSound_byTheSumOfTheirDecibels(obstruction: Float, occlusion: Float) throws {
        (player.obstruction, player.occlusion) = (obstruction, occlusion)
        player.position = AVAudio3DPoint(x: 0, y: 0, z: -1)
        try bench.startByHand()
        // A constant passes every low pass.
        #expect(abs(try heard().gain - pow(10, Double(obstruction + occlusion) / 20)) < 2e-4)
    }

    @Test func reverbBlend_takesItsShareOfTheDirectSound_whileThereIsARoom() throws {
        player.position = AVAudio3DPoint(x: 1, y: 0, z: 0)
        player.reverbBlend = 0.25
        try bench.startByHand()
        #expect(abs(try heard().gain - 1) < 2e-4)
        environment.reverbParameters.enable = true
        // A high pass at the room's end takes the constant out of it.
        environment.reverbParameters.filterParameters.filterType = .highPass
        environment.reverbParameters.filterParameters.bypass = false
        let frame = try bench.render(blocks: 60)
        #expect(abs(frame[1] - 0.375) < 0.002 && abs(frame[0]) < 0.002)
        environment.reverbParameters.enable = false
        _ = try bench.render(blocks: 60)
        #expect(abs(try heard().gain - 1) < 0.005)
    }
}
