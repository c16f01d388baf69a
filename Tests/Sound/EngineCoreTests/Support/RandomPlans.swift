import AudioModel
import EngineCore

/// A graph that is edited at random while it plays: sources, mixers, processors with and without memory, an output and taps.
///
/// Nothing in it is louder than 1: a mixer takes two connections at half volume, and a processor's gain makes up for its busses
/// and its feedback. So each stage that slides moves by 2 at most within a ramp, and what leaves the last of them by that
/// times their number.
struct RandomPlans {
    /// The processors in a row, and what mixes into the output, slide; a source fades and changes its volume; the gain of each
    /// processor moves as fast as a ramp.
    private static let mostStep = Float(2 * (mostProcessors + 1) + 2 + mostProcessors) / Float(rampFrames)
    private static let sampleRate = 48_000.0
    private static let rampFrames = 240
    private static let maximumFrames = 256
    private static let mostProcessors = 4
    private static let layouts: [[ChannelLabel]] = [[.mono], [.left, .right]]

    private let bench: EngineBench
    private let sources: [NodeID]
    private let mixers: [NodeID]
    private var processors: [NodeID] = []
    private var units: [SumUnit] = []
    private var tapped: Set<NodeID> = []
    /// Frames of each source.
    private var written: [NodeID: Int] = [:]
    private var last: [Float] = [0, 0]
    /// Frames before which what was told to end at once may step: four processors in a row with a feedback of 1/2 answer to a
    /// step with others, which are below the limit by then.
    private var unsteadyFrames = 0
    private static let settlingFrames = 64
    private(set) var edits = 0

    init() throws {
        let bench = try EngineBench(sampleRate: Self.sampleRate, maximumFrames: Self.maximumFrames)
        self.bench = bench
        sources = try Self.layouts.map { try bench.source($0) }
        mixers = try Self.layouts.map { try bench.mixer($0) }
        for node in sources + mixers { try bench.graph.setMixing(Mixing(volume: 0.5), of: node) }
        try bench.graph.connect(NodeBus(mixers[0]), to: NodeBus(bench.output))
        try bench.publish()
    }

    /// One edit and one cycle.
    ///
    /// - Returns: what is wrong; nil for nothing.
    mutating func step(using random: inout some RandomNumberGenerator) throws -> String? {
        edits += 1
        do throws(GraphError) { try edit(using: &random) } catch {}
        try bench.publish()
        let isGated = Int.random(in: 0..<64, using: &random) == 0
        let frames = Int.random(in: 1...Self.maximumFrames, using: &random)
        for source in sources { keepPlaying(source) }
        let rendered = try bench.render(frames, isGated: isGated)
        bench.engine.reclaim()
        for node in tapped { _ = bench.heard(node) }
        if isGated { unsteadyFrames = Self.settlingFrames }
        defer { unsteadyFrames = max(0, unsteadyFrames - frames) }
        for (channel, samples) in rendered.enumerated() {
            for (frame, sample) in samples.enumerated() {
                guard sample.isFinite, abs(sample) <= 1.001 else { return "\(sample) on channel \(channel)" }
                guard frame < unsteadyFrames || abs(sample - last[channel]) <= Self.mostStep else {
                    return "a step from \(last[channel]) to \(sample) on channel \(channel)"
                }
                last[channel] = sample
            }
        }
        return nil
    }

    /// After the world is gone: whether a processor is left.
    static func leaves(_ units: [SumUnit]) -> Bool { units.contains { $0.alive.load(ordering: .relaxed) != 0 } }

    var allUnits: [SumUnit] { units }

    /// Of full scale, after a ramp: the beginning of a source does not fade in.
    private mutating func keepPlaying(_ source: NodeID) {
        guard let feed = bench.sources[source] else { return }
        let first = written[source, default: 0]
        let count = min(feed.writableFrames, Self.maximumFrames)
        let samples = (first..<first + count).flatMap { frame in
            [Float](repeating: min(1, Float(frame) / Float(Self.rampFrames)), count: feed.channels)
        }
        bench.write(samples, to: source)
        written[source] = first + count
    }

    private mutating func edit(using random: inout some RandomNumberGenerator) throws(GraphError) {
        let makers = sources + mixers + processors
        guard let from = makers.randomElement(using: &random), let mixer = mixers.randomElement(using: &random) else {
            return
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: try connect(from, to: NodeBus(mixer, bus: Int.random(in: 0...1, using: &random)))
        case 2, 3:
            guard let to = processors.randomElement(using: &random) else { return }
            let count = try bench.graph.node(to).inputCount ?? 2
            try connect(from, to: NodeBus(to, bus: Int.random(in: 0..<count, using: &random)))
        case 4, 5: try connect(from, to: NodeBus(bench.output))
        case 6: try bench.graph.disconnectOutput(NodeBus(from))
        case 7: try bench.graph.setOutputVolume(Float(Int.random(in: 0...2, using: &random)) / 2, of: mixer)
        case 8: try bench.graph.setMuted(Bool.random(using: &random), of: mixer)
        case 9:
            let pan = Float(Int.random(in: -1...1, using: &random))
            try bench.graph.setMixing(Mixing(volume: Bool.random(using: &random) ? 0.5 : 0.25, pan: pan), of: from)
        case 10:
            let isTapped = tapped.contains(from)
            try bench.graph.setTapped(!isTapped, from)
            if isTapped { tapped.remove(from) } else { tapped.insert(from) }
        case 11:
            guard processors.count < Self.mostProcessors else { return }
            try addProcessor(using: &random)
        case 12:
            guard let id = processors.randomElement(using: &random) else { return }
            try bench.graph.detach(id)
            bench.forget(id)
            processors.removeAll { $0 == id }
            tapped.remove(id)
        case 13:
            guard let id = processors.randomElement(using: &random) else { return }
            let layout = Self.layouts[Int.random(in: 0...1, using: &random)]
            try bench.graph.setFormat(StreamFormat(sampleRate: Self.sampleRate, channels: layout), of: id)
        case 14:
            guard let id = processors.randomElement(using: &random) else { return }
            let share = Float(Int.random(in: 0...2, using: &random)) / 2
            bench.change(id) { $0.wantedGain = Self.loudest($0.feedback) * share }
        default: interrupt(using: &random)
        }
    }

    private mutating func interrupt(using random: inout some RandomNumberGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            bench.engine.noteCut()
            unsteadyFrames = Self.settlingFrames
        case 1:
            guard let id = processors.randomElement(using: &random) else { return }
            bench.slots[id]?.reset()
            unsteadyFrames = Self.settlingFrames
        default:
            guard let feed = sources.randomElement(using: &random).flatMap({ bench.sources[$0] }) else { return }
            if Bool.random(using: &random) { feed.play() } else { feed.pause() }
        }
    }

    private func connect(_ from: NodeID, to bus: NodeBus) throws(GraphError) {
        let others = bench.graph.connections(from: from).map(\.destination).filter { $0 != bus }
        try bench.graph.connect(NodeBus(from), to: others + [bus])
    }

    /// Of 3/2 for both busses and 1 / (1 - |feedback|) a processor makes 1.
    private static func loudest(_ feedback: Float) -> Float { (1 - abs(feedback)) / 1.5 }

    private mutating func addProcessor(using random: inout some RandomNumberGenerator) throws(GraphError) {
        let feedback = Float(Int.random(in: -1...1, using: &random)) / 2
        let unit = SumUnit(
            inputCount: [1, 2, nil].randomElement(using: &random) ?? 1, feedback: feedback,
            gain: Self.loudest(feedback), gainStep: 1 / Float(Self.rampFrames),
            quietFrames: [0, 64, .max].randomElement(using: &random) ?? 0)
        units.removeAll { $0.alive.load(ordering: .relaxed) == 0 }
        units.append(unit)
        let id = try bench.processor(unit, Self.layouts[Int.random(in: 0...1, using: &random)])
        try bench.graph.setMixing(Mixing(volume: 0.5), of: id)
        processors.append(id)
    }
}
