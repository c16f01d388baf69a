import EffectCore
import Foundation
import TestSupport
import Testing

@Suite struct EqualizerTests {
    /// A band's addresses.
    static func band(
        _ band: UInt64, _ type: FilterType, frequency: Float, gain: Float = 0, bandwidth: Float = 0.5
    ) -> [UInt64: Float] {
        [
            1000 + band: 0, 2000 + band: Float(FilterType.allCases.firstIndex(of: type)!), 3000 + band: frequency,
            4000 + band: gain, 5000 + band: bandwidth,
        ]
    }

    static func formula(
        _ type: FilterType, frequency: Double, gain: Double, bandwidth: Double, sampleRate: Double
    ) -> CookbookBiquad {
        let octaves = CookbookBiquad.alpha(octaves: bandwidth, frequency: frequency, sampleRate: sampleRate)
        let butterworth = CookbookBiquad.alpha(
            quality: 0.5.squareRoot(), frequency: frequency, sampleRate: sampleRate)
        let (shape, alpha): (CookbookBiquad.Shape, Double) =
            switch type {
            case .parametric: (.peak, octaves)
            case .lowPass: (.lowPass, butterworth)
            case .highPass: (.highPass, butterworth)
            case .resonantLowPass: (.lowPass, octaves)
            case .resonantHighPass: (.highPass, octaves)
            case .bandPass: (.bandPass, octaves)
            case .bandStop: (.notch, octaves)
            case .lowShelf: (.lowShelf, butterworth)
            case .highShelf: (.highShelf, butterworth)
            case .resonantLowShelf: (.lowShelf, octaves)
            case .resonantHighShelf: (.highShelf, octaves)
            }
        return CookbookBiquad(shape, frequency: frequency, alpha: alpha, gain: gain, sampleRate: sampleRate)
    }

    /// Long enough that the rest is below a millionth.
    static func impulseResponse(_ rig: EffectRig) -> [Float] {
        var response: [Float] = []
        var input = [Float](repeating: 0, count: rig.maximumFrames)
        input[0] = 1
        while response.count < Int(8 * rig.sampleRate) {
            let output = rig.block([input])[0]
            input[0] = 0
            response += output
            if output.allSatisfy({ abs($0) < 1e-8 }) { break }
        }
        return response
    }

    @Test(arguments: FilterType.allCases, [44_100.0, 48_000, 96_000])
    func response_ofEachType_isTheFormulas(_ type: FilterType, _ sampleRate: Double) {
        let settings: [(frequency: Float, gain: Float, bandwidth: Float)] = [
            (20, 12, 1), (200, -24, 0.05), (1000, 6, 0.5), (8000, -96, 2), (20_000, 24, 2), (300, 24, 5),
        ]
        for setting in settings {
            let rig = EffectRig(
                .equalizer, bands: 1, channels: 1, sampleRate: sampleRate,
                Self.band(
                    0, type, frequency: setting.frequency, gain: setting.gain, bandwidth: setting.bandwidth))
            let impulse = Self.impulseResponse(rig)
            let formula = Self.formula(
                type, frequency: Double(setting.frequency), gain: Double(setting.gain),
                bandwidth: Double(setting.bandwidth), sampleRate: sampleRate)
            for frequency in Response.frequencies(31) {
                let wanted = Response.decibels(formula.amplitude(frequency, sampleRate))
                // Lower, the sums of a response of floats are no better than that.
                guard wanted > -90 else { continue }
                let measured = Response.decibels(Response.amplitude(impulse, frequency, sampleRate))
                #expect(abs(measured - wanted) < 0.1, "\(type) \(setting) at \(frequency) Hz, rate \(sampleRate)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5])
    func bands_inARow_multiplyTheirResponses(_ channels: Int) {
        let bands: [(type: FilterType, frequency: Float, gain: Float, bandwidth: Float)] = [
            (.parametric, 100, 12, 1), (.highShelf, 5000, -6, 0.5), (.lowPass, 12_000, 0, 0.5),
            (.parametric, 1000, -9, 2), (.bandStop, 3000, 0, 0.3), (.lowShelf, 200, 3, 1),
        ]
        let values = bands.enumerated().map {
            Self.band(
                UInt64($0), $1.type, frequency: $1.frequency, gain: $1.gain, bandwidth: $1.bandwidth)
        }.reduce(into: [0: -6]) { $0.merge($1) { $1 } }
        let rig = EffectRig(.equalizer, bands: 7, channels: channels, maximumFrames: 1 << 15, values)
        let silence = [Float](repeating: 0, count: 1 << 15)
        for channel in 0..<channels {
            rig.reset()
            var input = [[Float]](repeating: silence, count: channels)
            input[channel][0] = 1
            let output = rig.block(input)
            for other in 0..<channels where other != channel { #expect(output[other] == silence) }
            for frequency in Response.frequencies(31) {
                let wanted = bands.reduce(-6.0) {
                    let formula = Self.formula(
                        $1.type, frequency: Double($1.frequency), gain: Double($1.gain),
                        bandwidth: Double($1.bandwidth), sampleRate: 48_000)
                    return $0 + Response.decibels(formula.amplitude(frequency, 48_000))
                }
                guard wanted > -80 else { continue }
                let measured = Response.decibels(Response.amplitude(output[channel], frequency, 48_000))
                #expect(abs(measured - wanted) < 0.1, "channel \(channel) at \(frequency) Hz")
            }
        }
    }

    @Test func output_isTheSameBits_howeverTheBlocksAreCut() {
        let values = Self.band(0, .parametric, frequency: 300, gain: 9).merging(
            Self.band(4, .highPass, frequency: 50)
        ) { $1 }
        var random = Seeded(seed: 1)
        let input = (0..<2).map { _ in (0..<3000).map { _ in Float.random(in: -1...1, using: &random) } }
        let whole = EffectRig(.equalizer, bands: 5, values).process(input)
        for blocks in [[1], [2, 3], [4, 5, 64], [997]] {
            let isSame = EffectRig(.equalizer, bands: 5, values).process(input, blocks: blocks) == whole
            #expect(isSame, "blocks of \(blocks)")
        }
    }

    @Test func bands_thatAreBypassed_passEveryBit() {
        var random = Seeded(seed: 2)
        let input = (0..<2).map { _ in (0..<500).map { _ in Float.random(in: -1...1, using: &random) } }
        let isSame = EffectRig(.equalizer, bands: 9).process(input, blocks: [64]) == input
        #expect(isSame)
    }

    /// The greatest difference between a sample and the straight line through its neighbours.
    static func roughness(_ sound: [Float]) -> Float {
        (2..<sound.count).map { abs(sound[$0] - 2 * sound[$0 - 1] + sound[$0 - 2]) }.max() ?? 0
    }

    @Test func sweep_ofGainAndFrequency_hasNoStepAboveItsOwn() {
        let rate = 48_000.0
        let sound = tone(440, frames: Int(1.2 * rate), level: 0.25)
        let rig = EffectRig(
            .equalizer, bands: 1, channels: 1, Self.band(0, .parametric, frequency: 100, gain: -24, bandwidth: 1))
        // A slider moves 60 times a second: from 100 Hz to 10 kHz, and from -24 dB to +24 dB.
        let output = rig.process([sound], blocks: [400, 400]) { frame in
            let share = min(max((Float(frame) / Float(rate) - 0.1), 0), 1)
            rig.parameters.set(100 * powf(100, (share * 60).rounded() / 60), at: 3000)
            rig.parameters.set(-24 + 48 * (share * 60).rounded() / 60, at: 4000)
        }[0]
        // A tone that grows to the highest gain has this much; 2 % more for the sweep itself.
        let amplitude = 0.25 * pow(10, 24.0 / 20), w = 2 * Double.pi * 440 / rate
        #expect(Double(Self.roughness(output)) < 1.02 * amplitude * w * w)
        #expect(Double(output.map(abs).max()!) < 1.02 * amplitude)
    }

    @Test func change_ofEachKind_makesNoClick() {
        let rate = 48_000.0
        let sound = tone(100, frames: 24_000, level: 0.25)
        let w = 2 * Double.pi * 100 / rate
        let changes: [(address: UInt64, value: Float)] = [
            (1000, 1), (1000, 0), (2000, 1), (2000, 8), (2000, 0), (3000, 2000), (3000, 100), (4000, -24), (0, -12),
            (5000, 5), (0, 0), (1000, 1),
        ]
        let rig = EffectRig(
            .equalizer, bands: 1, channels: 1, Self.band(0, .parametric, frequency: 100, gain: 6, bandwidth: 1))
        let output = rig.process([sound], blocks: [2000]) { frame in
            guard frame > 0 else { return }
            let change = changes[(frame / 2000 - 1) % changes.count]
            rig.parameters.set(change.value, at: change.address)
        }[0]
        // A change at once would be a step of up to half the amplitude of 0.5. Within 20 ms, 960 frames, each of its two
        // corners has a thousandth of it; the tone's own roughness is 0.0001 at 6 dB.
        #expect(Double(Self.roughness(output)) < 0.5 * w * w + 0.003)
    }

    @Test(arguments: [1, 3, 4, 64, 1000])
    func filtering_takesAVectorAFrame_forFourBandsOfTwoChannels(_ frames: Int) {
        let values = (0..<10).map { Self.band($0, .parametric, frequency: 1000, gain: 6) }
            .reduce(into: [:]) { $0.merge($1) { $1 } }
        let rig = EffectRig(.equalizer, bands: 10, values)
        let silence = [[Float]](repeating: [Float](repeating: 0, count: frames), count: 2)
        _ = rig.block(silence)
        // Three banks, each with three more frames for its last lane.
        #expect(rig.processor.vectors == 3 * (frames + 3))
    }
}
