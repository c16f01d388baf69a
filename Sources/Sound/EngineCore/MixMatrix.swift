package import AudioModel

/// How the channels of a source are spread over the channels of an output.
package enum MixMatrix {
    /// -3 dB: half the power, as ITU-R BS.775-4 (table 2) has it for centre and surround channels.
    private static let half = Float(0.5).squareRoot()

    /// Linear gains, row-major [output][source]; empty when either side has no channels.
    ///
    /// - A label that both sides have keeps its place: gain 1, to the first output of that name.
    /// - Mono goes to left and right alike; left and right go to a mono output with 0.5 each.
    /// - What the output lacks is folded down by BS.775: the centre and the surrounds at -3 dB to left and right; the
    ///   low-frequency channel is left out. The sum of full-scale channels exceeds full scale then, as in PipeWire's mixer
    ///   (spa/plugins/audioconvert/channelmix-ops.c, `channelmix.normalize` is false) and FFmpeg's for floats
    ///   (libswresample/rematrix.c): a film is as loud here as there.
    /// - Channels without a place, on either side, go by their index; outputs beyond that stay silent, sources beyond
    ///   that are left out. A single output without a place is a mono output.
    package static func compile(from sources: [ChannelLabel], to outputs: [ChannelLabel]) -> [Float] {
        guard !sources.isEmpty, !outputs.isEmpty else { return [] }
        // A label may be there more than once: what is meant for exactly these outputs goes one to one.
        if sources == outputs {
            return outputs.indices.flatMap { row in sources.indices.map { $0 == row ? 1 : 0 } }
        }
        var matrix = [Float](repeating: 0, count: outputs.count * sources.count)
        func add(_ gain: Float, _ source: Int, to output: Int) { matrix[output * sources.count + source] += gain }

        let outputs = placed(outputs, for: sources)
        for (index, source) in sources.enumerated() {
            for (output, gain) in spread(source, index: index, of: sources.count, over: outputs) {
                add(gain, index, to: output)
            }
        }
        if matrix.allSatisfy({ $0 == 0 }) {
            for index in 0..<min(sources.count, outputs.count) { add(1, index, to: index) }
        }
        return matrix
    }

    /// The outputs with places for those that have none, as far as the sources need them.
    private static func placed(_ outputs: [ChannelLabel], for sources: [ChannelLabel]) -> [ChannelLabel] {
        if outputs == sources { return outputs }
        if outputs.count == 1 { return [.mono] }
        guard outputs.allSatisfy(isDiscrete), !sources.contains(where: isDiscrete) else { return outputs }
        // A sink of n anonymous channels: the source's own order if it fits, else its first two are a stereo pair.
        if sources.count > 1, sources.count <= outputs.count { return sources + outputs.dropFirst(sources.count) }
        return [.left, .right] + outputs.dropFirst(2)
    }

    /// The gains for a file on a route: by labels on one port; on several, by the default map of `RouteLayout`.
    ///
    /// That map takes two channels: what has more is folded down to a pair, what has one goes to both.
    package static func compile(from sources: [ChannelLabel], toPorts ports: [[ChannelLabel]]) -> [Float] {
        guard ports.count > 1, !sources.isEmpty else { return compile(from: sources, to: ports.first ?? []) }
        let pair: [ChannelLabel] = [.left, .right]
        let map = RouteLayout(ports: ports).defaultMap(sources: pair.count)
        return Matrix.selection(map, columns: pair.count)
            .times(Matrix(rows: pair.count, columns: sources.count, gains: compile(from: sources, to: pair))).gains
    }

    private static func isDiscrete(_ label: ChannelLabel) -> Bool {
        if case .discrete = label { true } else { false }
    }

    /// Which outputs a source channel goes to, and how loud.
    private static func spread(
        _ source: ChannelLabel, index: Int, of count: Int, over outputs: [ChannelLabel]
    ) -> [(output: Int, gain: Float)] {
        if case .discrete = source {
            if outputs == [.mono] { return [(0, 1 / Float(count))] }
            if let output = outputs.firstIndex(of: source) { return [(output, 1)] }
            guard index < outputs.count else { return [] }
            return [(index, 1)]
        }
        for candidate in candidates(source) {
            let found = candidate.compactMap { entry in
                outputs.firstIndex(of: entry.label).map { (output: $0, gain: entry.gain) }
            }
            if found.count == candidate.count { return found }
        }
        return []
    }

    /// Where a channel may go, best first; a candidate counts only when the output has all its channels.
    private static func candidates(_ source: ChannelLabel) -> [[(label: ChannelLabel, gain: Float)]] {
        switch source {
        case .mono:
            [[(.mono, 1)], [(.left, 1), (.right, 1)], [(.center, 1)]]
        case .left:
            [[(.left, 1)], [(.mono, 0.5)], [(.center, 0.5)]]
        case .right:
            [[(.right, 1)], [(.mono, 0.5)], [(.center, 0.5)]]
        case .center:
            [[(.center, 1)], [(.left, half), (.right, half)], [(.mono, half)]]
        case .lowFrequency:
            [[(.lowFrequency, 1)]]
        case .rearLeft:
            [[(.rearLeft, 1)], [(.sideLeft, 1)], [(.left, half)], [(.mono, half / 2)]]
        case .rearRight:
            [[(.rearRight, 1)], [(.sideRight, 1)], [(.right, half)], [(.mono, half / 2)]]
        case .sideLeft:
            [[(.sideLeft, 1)], [(.rearLeft, 1)], [(.left, half)], [(.mono, half / 2)]]
        case .sideRight:
            [[(.sideRight, 1)], [(.rearRight, 1)], [(.right, half)], [(.mono, half / 2)]]
        case .rearCenter:
            [
                [(.rearCenter, 1)], [(.rearLeft, half), (.rearRight, half)], [(.sideLeft, half), (.sideRight, half)],
                [(.left, 0.5), (.right, 0.5)], [(.mono, 0.5)],
            ]
        case .discrete:
            []
        }
    }

    /// Divides by the largest sum of a row where that is above 1: full-scale input cannot clip, and the balance stays.
    package static func normalised(_ matrix: [Float], columns: Int) -> [Float] {
        let sums = stride(from: 0, to: matrix.count, by: columns).map { matrix[$0..<$0 + columns].reduce(0, +) }
        let largest = sums.max() ?? 0
        return largest > 1 ? matrix.map { $0 / largest } : matrix
    }
}
