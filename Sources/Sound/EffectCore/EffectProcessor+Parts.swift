extension EffectParameters {
    /// What is special to the effect, with its memory.
    func makeParts(_ shape: EffectProcessor.Shape, _ memory: RenderMemory) -> EffectProcessor.Parts {
        switch kind {
        case .equalizer: makeFilters(bands, shape, memory)
        case .lowPass, .highPass, .bandPass, .lowShelf, .highShelf, .parametricEqualizer: makeFilters(1, shape, memory)
        case .delay: makeDelay(shape, memory)
        case .reverb: makeReverb(shape, memory)
        case .distortion: makeDistortion(shape, memory)
        case .dynamics:
            EffectProcessor.Parts(
                algorithm: .dynamics(
                    memory.block(of: Dynamics(values, channels: shape.channels, sampleRate: shape.sampleRate))))
        case .peakLimiter: makeLimiter(shape, memory)
        }
    }

    private func makeFilters(
        _ bands: Int, _ shape: EffectProcessor.Shape, _ memory: RenderMemory
    ) -> EffectProcessor.Parts {
        let banks = Equalizer.banks(of: bands)
        let state = Equalizer(
            kind, values, bands: bands, channels: shape.channels, sampleRate: shape.sampleRate,
            banks: memory.room(banks), memories: memory.room(banks * Equalizer.pairs(of: shape.channels)),
            settings: memory.room(bands), spare: memory.silence(shape.maximumFrames))
        // So long that no zero of a low tone is taken for its end.
        return EffectProcessor.Parts(algorithm: .filters(memory.block(of: state)), quietSeconds: 0.1)
    }

    private func makeDelay(_ shape: EffectProcessor.Shape, _ memory: RenderMemory) -> EffectProcessor.Parts {
        // The longest delay of the table.
        let frames = shape.powerOfTwo(above: 2 * shape.sampleRate)
        let state = FeedbackDelay(
            values, channels: shape.channels, sampleRate: shape.sampleRate,
            lines: memory.rows(shape.channels, frames), mask: frames - 1, lows: memory.silence(shape.channels))
        return EffectProcessor.Parts(algorithm: .delay(memory.block(of: state)), quietSeconds: .infinity)
    }

    private func makeReverb(_ shape: EffectProcessor.Shape, _ memory: RenderMemory) -> EffectProcessor.Parts {
        // The longest line of the table. 144 more, so that the lines do not all fall on the same part of a cache.
        let capacity = Int(1.001 * shape.sampleRate) + 2 * ReverbNetwork.lineCount + 144
        let count = ReverbNetwork.diffusersOfASide
        let diffusers: UnsafeMutablePointer<Diffuser> = memory.room(2 * count)
        // Frames at 29 761 Hz, and gains, of Dattorro's four input diffusers; the right side's are 3 % longer.
        let lengths: [(frames: Double, gain: Float)] = [(142, 0.75), (107, 0.75), (379, 0.625), (277, 0.625)]
        for side in 0..<2 {
            for (number, length) in lengths.enumerated() {
                let frames = Int(length.frames / 29_761 * shape.sampleRate * (side == 0 ? 1 : 1.03)) | 1
                (diffusers + side * count + number).initialize(
                    to: Diffuser(line: memory.silence(frames), length: frames, gain: length.gain))
            }
        }
        let state = ReverbNetwork(
            values, channels: shape.channels, sampleRate: shape.sampleRate,
            lines: memory.room(ReverbNetwork.lineCount * capacity), capacity: capacity, diffusers: diffusers,
            lengths: memory.room(ReverbNetwork.lineCount), positions: memory.room(ReverbNetwork.lineCount),
            sides: (memory.silence(shape.maximumFrames), memory.silence(shape.maximumFrames)),
            wet: (memory.silence(shape.maximumFrames), memory.silence(shape.maximumFrames)))
        // The longest line, through which sound comes back.
        return EffectProcessor.Parts(algorithm: .reverb(memory.block(of: state)), quietSeconds: 1.1)
    }

    private func makeDistortion(_ shape: EffectProcessor.Shape, _ memory: RenderMemory) -> EffectProcessor.Parts {
        let states: UnsafeMutablePointer<DistortionChannel> = memory.room(shape.channels)
        let frames = HalfBand.taps + shape.maximumFrames
        for channel in 0..<shape.channels {
            (states + channel).initialize(
                to: DistortionChannel(
                    rows: (memory.silence(frames), memory.silence(frames), memory.silence(frames)),
                    sampleRate: shape.sampleRate))
        }
        let halfBand = memory.silence(HalfBand.taps)
        HalfBand.design(halfBand)
        // The longest delay of the table.
        let lineFrames = shape.powerOfTwo(above: 0.5 * shape.sampleRate)
        let state = Distortion(
            values, channels: shape.channels, sampleRate: shape.sampleRate, states: states,
            lines: memory.rows(shape.channels, lineFrames), mask: lineFrames - 1, halfBand: halfBand,
            ring: memory.silence(shape.maximumFrames))
        return EffectProcessor.Parts(
            algorithm: .distortion(memory.block(of: state)), latencyFrames: HalfBand.latencyFrames,
            dryFrames: HalfBand.latencyFrames, quietSeconds: .infinity)
    }

    private func makeLimiter(_ shape: EffectProcessor.Shape, _ memory: RenderMemory) -> EffectProcessor.Parts {
        let pieces = PeakLimiter.pieces(values.value(0), shape.sampleRate)
        let latency = PeakLimiter.latency(pieces: pieces)
        let state = PeakLimiter(
            values, channels: shape.channels, sampleRate: shape.sampleRate, windowPieces: pieces,
            needed: memory.room(pieces + 1), risen: memory.room(pieces),
            lines: memory.rows(shape.channels, latency))
        return EffectProcessor.Parts(algorithm: .peakLimiter(memory.block(of: state)), latencyFrames: latency)
    }
}

extension EffectProcessor.Shape {
    /// More than a delay and a block together.
    fileprivate func powerOfTwo(above frames: Double) -> Int {
        (Int(frames) + maximumFrames + 1).nextPowerOfTwo
    }
}

extension RenderMemory {
    /// Not written to: pages of a long buffer come into being as they are used.
    fileprivate func rows(_ count: Int, _ frames: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>> {
        let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = room(count)
        for row in 0..<count { (rows + row).initialize(to: room(frames)) }
        return rows
    }
}
