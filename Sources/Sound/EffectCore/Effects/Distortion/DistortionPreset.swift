/// Distortions by name, with Apple's names and numbers; what they sound like is ours (decision 50).
///
/// Source: SDK header AVAudioUnitDistortion.h.
package enum DistortionPreset: Int, Hashable, Sendable, CaseIterable {
    case drumsBitBrush, drumsBufferBeats, drumsLoFi
    case multiBrokenSpeaker, multiCellphoneConcert, multiDecimated1, multiDecimated2, multiDecimated3, multiDecimated4
    case multiDistortedFunk, multiDistortedCubed, multiDistortedSquared, multiEcho1, multiEcho2, multiEchoTight1
    case multiEchoTight2, multiEverythingIsBroken
    case speechAlienChatter, speechCosmicInterference, speechGoldenPi, speechRadioTower, speechWaves

    /// The values of a distortion's parameters but for the gain and the mix, by address.
    package var values: [UInt64: Float] {
        let sound = sound
        return [
            0: sound.echo.0, 1: sound.echo.1, 2: sound.echo.2,
            3: sound.decimation.0, 4: sound.decimation.1, 5: sound.decimation.2,
            6: sound.polynomial.0, 7: sound.polynomial.1, 8: sound.polynomial.2, 9: sound.polynomial.3,
            10: sound.ring.0, 11: sound.ring.1, 12: 50, 13: sound.ring.2,
        ]
    }

    private struct Sound {
        /// Milliseconds, decay and share.
        var echo: (Float, Float, Float) = (0.1, 1, 0)
        /// Decimation, rounding and share.
        var decimation: (Float, Float, Float) = (0, 0, 0)
        /// Linear, squared and cubic terms, and share.
        var polynomial: (Float, Float, Float, Float) = (1, 0, 0, 0)
        /// Both frequencies and share.
        var ring: (Float, Float, Float) = (100, 100, 0)
    }

    private var sound: Sound {
        switch self {
        case .drumsBitBrush: Sound(decimation: (30, 70, 80), polynomial: (1, 0, 2, 30))
        case .drumsBufferBeats: Sound(echo: (120, 2, 60), decimation: (10, 20, 30))
        case .drumsLoFi: Sound(decimation: (60, 40, 100), polynomial: (1, 0.5, 1, 30))
        case .multiBrokenSpeaker:
            Sound(
                echo: (2, 5, 20), decimation: (20, 30, 40), polynomial: (0.6, 6, 8, 90), ring: (100, 100, 5))
        case .multiCellphoneConcert:
            Sound(echo: (15, 6, 25), decimation: (45, 35, 80), polynomial: (1, 2, 4, 50))
        case .multiDecimated1: Sound(decimation: (30, 0, 100))
        case .multiDecimated2: Sound(decimation: (50, 20, 100))
        case .multiDecimated3: Sound(decimation: (75, 30, 100))
        case .multiDecimated4: Sound(decimation: (100, 50, 100))
        case .multiDistortedFunk: Sound(decimation: (15, 10, 20), polynomial: (0.8, 4, 10, 80))
        case .multiDistortedCubed: Sound(polynomial: (0.2, 0, 20, 100))
        case .multiDistortedSquared: Sound(polynomial: (0.2, 20, 0, 100))
        case .multiEcho1: Sound(echo: (250, 1, 50))
        case .multiEcho2: Sound(echo: (400, 0.7, 55))
        case .multiEchoTight1: Sound(echo: (60, 1.2, 50))
        case .multiEchoTight2: Sound(echo: (90, 0.8, 55))
        case .multiEverythingIsBroken:
            Sound(
                echo: (180, 0.6, 50), decimation: (80, 60, 80), polynomial: (0.4, 10, 10, 70), ring: (400, 1100, 40))
        case .speechAlienChatter: Sound(echo: (12, 0.8, 30), decimation: (20, 10, 20), ring: (180, 430, 80))
        case .speechCosmicInterference: Sound(echo: (30, 0.5, 40), decimation: (40, 20, 30), ring: (60, 2100, 90))
        case .speechGoldenPi: Sound(echo: (3.14, 0.6, 50), ring: (314, 1618, 45))
        case .speechRadioTower:
            Sound(
                echo: (1, 3, 20), decimation: (55, 30, 70), polynomial: (1, 3, 6, 60), ring: (1000, 1000, 10))
        case .speechWaves: Sound(echo: (8, 0.3, 50), ring: (2, 5, 60))
        }
    }
}
