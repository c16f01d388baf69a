import EffectCore
import Foundation
import TestSupport
import Testing

/// The filters beside sox, which has them by the same formulas in code of its own.
@Suite struct SoxTests {
    /// What sox makes of mono Float32 at 48 kHz.
    private static func sox(_ input: [Float], _ effect: [String]) throws -> [Float] {
        let process = Process()
        let (toSox, fromSox) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        let raw = ["-t", "f32", "-r", "48000", "-c", "1", "-"]
        process.arguments = ["sox", "-D"] + raw + raw + effect
        process.standardInput = toSox
        process.standardOutput = fromSox
        try process.run()
        let sound = input.withUnsafeBytes { Data($0) }
        let writer = Thread {
            try? toSox.fileHandleForWriting.write(contentsOf: sound)
            try? toSox.fileHandleForWriting.close()
        }
        writer.start()
        let data = try fromSox.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "sox \(effect) failed; install the package sox")
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    struct Case: CustomStringConvertible, Sendable {
        var kind: EffectKind
        var values: [UInt64: Float]
        var effect: [String]
        var description: String { effect.joined(separator: " ") }
    }

    private static let cases = [
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .lowPass, frequency: 1000),
            effect: ["lowpass", "-2", "1000", "0.70710678q"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .highPass, frequency: 300),
            effect: ["highpass", "-2", "300", "0.70710678q"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .resonantLowPass, frequency: 2000, bandwidth: 0.3),
            effect: ["lowpass", "-2", "2000", "0.3o"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .resonantHighPass, frequency: 2000, bandwidth: 0.3),
            effect: ["highpass", "-2", "2000", "0.3o"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .bandPass, frequency: 800, bandwidth: 1),
            effect: ["bandpass", "800", "1o"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .bandStop, frequency: 800, bandwidth: 1),
            effect: ["bandreject", "800", "1o"]),
        Case(
            kind: .equalizer,
            values: EqualizerTests.band(0, .parametric, frequency: 3000, gain: 9, bandwidth: 0.7),
            effect: ["equalizer", "3000", "0.7o", "9"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .lowShelf, frequency: 200, gain: -8),
            effect: ["bass", "-8", "200", "0.70710678q"]),
        Case(
            kind: .equalizer, values: EqualizerTests.band(0, .highShelf, frequency: 4000, gain: 7),
            effect: ["treble", "7", "4000", "0.70710678q"]),
        Case(kind: .lowPass, values: [0: 5000, 1: 6.0206], effect: ["lowpass", "-2", "5000", "2q"]),
        Case(kind: .highPass, values: [0: 500, 1: 6.0206], effect: ["highpass", "-2", "500", "2q"]),
        Case(kind: .bandPass, values: [0: 5000, 1: 600], effect: ["bandpass", "5000", "0.5o"]),
        Case(kind: .lowShelf, values: [0: 80, 1: 6], effect: ["bass", "6", "80", "0.70710678q"]),
        Case(kind: .highShelf, values: [0: 10_000, 1: -6], effect: ["treble", "-6", "10000", "0.70710678q"]),
        Case(kind: .parametricEqualizer, values: [0: 2000, 1: 3, 2: -12], effect: ["equalizer", "2000", "3q", "-12"]),
    ]

    @Test(arguments: cases)
    func filter_isThatOfSox(_ test: Case) throws {
        var impulse = [Float](repeating: 0, count: 48_000)
        // Room above: a peak may be higher than the sound, and sox clips.
        impulse[0] = 0.25
        let theirs = try Self.sox(impulse, test.effect)
        let ours = EffectRig(test.kind, bands: 1, channels: 1, test.values).process([impulse])[0]
        for frequency in Response.frequencies(61) {
            let wanted = Response.decibels(4 * Response.amplitude(theirs, frequency, 48_000))
            // sox computes in whole numbers of 32 bits; a sum of a second of them is no better than that.
            guard wanted > -80 else { continue }
            let measured = Response.decibels(4 * Response.amplitude(ours, frequency, 48_000))
            #expect(abs(measured - wanted) < 0.2, "\(test) at \(frequency) Hz: \(measured) dB, sox \(wanted) dB")
        }
    }
}
