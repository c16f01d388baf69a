package import AudioModel

/// The gains from the channels of a source to the channels of an output.
package enum MixMatrix {
    /// -3 dB, half the power: the gain of ITU-R BS.775-4 (table 2) for centre and surround channels.
    private static let half = Float(0.5).squareRoot()

    /// Linear gains, row-major [output][source]; empty when either side has no channels.
    ///
    /// - A label on both sides has gain 1 to the first output with that label.
    /// - Mono goes to left and right with gain 1; left and right go to a mono output with 0.5 each.
    /// - A channel that the output lacks is folded down by BS.775: the centre and the surrounds at -3 dB to left and
    ///   right; the low-frequency channel is left out. The sum of full-scale channels exceeds full scale then, as in
    ///   PipeWire's mixer (spa/plugins/audioconvert/channelmix-ops.c, `channelmix.normalize` is false) and FFmpeg's for
    ///   floats (libswresample/rematrix.c), so a film is equally loud in all three.
    /// - Channels without a position, on either side, are matched by their index. Outputs beyond the sources stay
    ///   silent; sources beyond the outputs are left out. A single output without a position is a mono output.
    package static func compile(from sources: [ChannelLabel], to outputs: [ChannelLabel]) -> [Float] {
        guard !sources.isEmpty, !outputs.isEmpty else { return [] }
        // A label may occur more than once. Equal layouts are mapped one to one.
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

    /// The outputs, with labels for those without a position, as far as the sources need them.
    private static func placed(_ outputs: [ChannelLabel], for sources: [ChannelLabel]) -> [ChannelLabel] {
        if outputs == sources { return outputs }
        if outputs.count == 1 { return [.mono] }
        guard outputs.allSatisfy(isDiscrete), !sources.contains(where: isDiscrete) else { return outputs }
        // A sink of n anonymous channels gets the source's order if it fits; otherwise its first two channels are a
        // stereo pair.
        if sources.count > 1, sources.count <= outputs.count { return sources + outputs.dropFirst(sources.count) }
        return [.left, .right] + outputs.dropFirst(2)
    }

    /// The gains for a file on a route: by labels on one port; on several ports, by the default map of `RouteLayout`.
    ///
    /// That map has two channels: a file with more is folded down to a pair, and a file with one channel goes to both.
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

    /// The outputs of a source channel, with their gains.
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

    /// The possible targets of a channel, best first.
    ///
    /// A candidate is used only if the output has all its channels.
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

    /// Divides all gains by the largest sum of a row if that is above 1.
    ///
    /// Full-scale input cannot clip then, and the balance stays.
    package static func normalised(_ matrix: [Float], columns: Int) -> [Float] {
        let sums = stride(from: 0, to: matrix.count, by: columns).map { matrix[$0..<$0 + columns].reduce(0, +) }
        let largest = sums.max() ?? 0
        return largest > 1 ? matrix.map { $0 / largest } : matrix
    }
}
