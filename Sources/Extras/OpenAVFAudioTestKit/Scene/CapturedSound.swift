internal import SceneCore

extension AudioSimulator {
    /// What reached an output in the last minute, with what a test asks of it.
    ///
    ///     let sound = phone.sound(of: .builtInSpeaker)
    ///     #expect(sound.isSilent(from: 2, to: 6))
    public func sound(of device: Device) -> CapturedSound {
        let samples = samples(of: device)
        let rate = 48000.0
        let end = now
        return CapturedSound(samples: samples, sampleRate: rate, start: end - Double(samples.first?.count ?? 0) / rate)
    }
}

/// What an output played, and questions about it; times are seconds of virtual time.
public struct CapturedSound: Sendable {
    /// `[channel][frame]`, Float32, nominal ±1.
    public let samples: [[Float]]
    /// Hertz.
    public let sampleRate: Double
    /// The time of the first frame.
    public let start: Double
    private let sound: OutputSound

    /// Creates a sound.
    ///
    /// - Parameters:
    ///   - samples: `[channel][frame]`, all channels of the same length.
    ///   - sampleRate: hertz.
    ///   - start: the time of the first frame.
    public init(samples: [[Float]], sampleRate: Double = 48000, start: Double = 0) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.start = start
        var sound = OutputSound(name: "", rate: Int(sampleRate), channelCount: samples.count)
        sound.add(samples, offset: 0, from: Int((max(0, start) * sampleRate).rounded()))
        self.sound = sound
    }

    private var end: Double { start + Double(samples.first?.count ?? 0) / sampleRate }

    /// Whether not one frame differs from zero.
    public func isSilent(from: Double, to: Double) -> Bool { !isHeard(from: from, to: to) }

    /// Whether any frame differs from zero; of one channel, from 1, or of any.
    public func isHeard(from: Double, to: Double, channel: Int? = nil) -> Bool {
        sound.firstSound(from: .init(seconds: from), to: .init(seconds: to), channel: channel) != nil
    }

    /// The root mean square of all channels, in dBFS, to the nearest hundredths of a second; -infinity for silence.
    public func decibels(from: Double, to: Double) -> Double {
        sound.decibels(from: .init(seconds: from), to: .init(seconds: to))
    }

    /// The channels, from 1, that play anything between two times.
    public func channelsHeard(from: Double, to: Double) -> [Int] {
        samples.indices.map { $0 + 1 }.filter { isHeard(from: from, to: to, channel: $0) }
    }

    /// When the sound began or ended at more than -12 dBFS without a fade.
    public var clicks: [Double] { sound.clicks.map { Double($0) / sampleRate } }

    /// Where in an original each stretch of sound begins and ends, in seconds of the original.
    ///
    /// The original has to be unlike itself everywhere, such as noise, and to be played at its own rate.
    ///
    /// - Parameters:
    ///   - original: one channel, at the sample rate of this sound.
    ///   - channel: of this sound, from 1.
    /// - Returns: a stretch whose place was not found is left out.
    public func positions(in original: [Float], channel: Int = 1) -> [Range<Double>] {
        guard samples.indices.contains(channel - 1) else { return [] }
        let played = samples[channel - 1]
        let original = OriginalSound(original)
        let first = Int((max(0, start) * sampleRate).rounded())
        return sound.channels[channel - 1].ranges.compactMap { range in
            let middle = (range.lowerBound + range.upperBound) / 2 - first
            let length = min(64, range.count / 2)
            guard length >= 8, middle + length <= played.count,
                let place = original.place(of: played[middle..<(middle + length)])
            else { return nil }
            let begin = place - (middle - (range.lowerBound - first))
            return (Double(begin) / sampleRate)..<(Double(begin + range.count) / sampleRate)
        }
    }

    /// Whether each stretch of sound goes on in the original where the one before it ended.
    ///
    /// - Parameters:
    ///   - original: the samples that were to be played, of one channel.
    ///   - tolerance: in seconds; a fade out and in of a few milliseconds plays a part of the original twice or not at all.
    ///   - channel: of this sound, from 1.
    public func continues(_ original: [Float], tolerance: Double = 0.05, channel: Int = 1) -> Bool {
        let places = positions(in: original, channel: channel)
        return !places.isEmpty
            && zip(places, places.dropFirst()).allSatisfy { abs($1.lowerBound - $0.upperBound) <= tolerance }
    }
}
