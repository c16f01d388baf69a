import AudioModel
import CRealtime
import EngineCore
import TestAudio
import Testing

@testable import OpenLV2

/// Runs plug-ins as an engine does: block by block.
struct PluginBench {
    /// Its files are there as long as the bench.
    let bundle: PluginBundle
    let unit: PluginUnit

    /// With the plug-in of a bundle, which must be offered.
    init(_ bundle: PluginBundle) throws {
        let library = PluginLibrary(path: bundle.directory.path)
        self.bundle = bundle
        unit = PluginUnit(try #require(library.plugins.first, "\(library.refused)"), of: library)
    }

    /// Compiles the code first.
    init(_ ports: [PluginBundle.Port], _ code: PluginBundle.Code) throws {
        let bundle = try PluginBundle(PluginBundle.description(ports))
        try bundle.compile(code)
        try self.init(bundle)
    }

    func makeProcessor(_ shape: ProcessorShape) throws -> any UnitProcessor {
        try withExtendedLifetime(bundle) { try unit.makeProcessor(shape) }
    }

    func run(
        _ sound: [[Float]], outputs: Int? = nil, block: Int = 480, rate: Double = 48_000,
        between: (Int) -> Void = { _ in }
    ) throws -> [[Float]] {
        try withExtendedLifetime(bundle) {
            try Self.run(unit, sound, outputs: outputs, block: block, rate: rate, between: between)
        }
    }

    static func shape(
        inputs: Int, outputs: Int? = nil, block: Int = 480, rate: Double = 48_000
    ) -> ProcessorShape {
        let format = { (count: Int) in StreamFormat(sampleRate: rate, channels: ChannelLabel.standard(count: count)) }
        return ProcessorShape(inputs: [format(inputs)], output: format(outputs ?? inputs), maximumFrames: block)
    }

    /// - Parameters:
    ///   - sound: [channel][frame].
    ///   - between: called with each block's first frame, before it.
    static func run(
        _ unit: PluginUnit, _ sound: [[Float]], outputs: Int? = nil, block: Int = 480, rate: Double = 48_000,
        between: (Int) -> Void = { _ in }
    ) throws -> [[Float]] {
        let shape = shape(inputs: sound.count, outputs: outputs, block: block, rate: rate)
        let processor = try unit.makeProcessor(shape)
        var result = [[Float]](repeating: [], count: shape.output.channels.count)
        for begin in stride(from: 0, to: sound[0].count, by: block) {
            between(begin)
            let end = min(begin + block, sound[0].count)
            let block = process(processor, sound.map { Array($0[begin..<end]) }, outputs: result.count, at: begin)
            for channel in result.indices { result[channel] += block[channel] }
        }
        return result
    }

    /// One block; what a plug-in does not write is no number.
    static func process(
        _ unit: any UnitProcessor, _ sound: [[Float]], outputs: Int, at time: Int = 0
    ) -> [[Float]] {
        let frames = sound[0].count
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: (sound.count + outputs) * frames)
        defer { memory.deallocate() }
        memory.initialize(repeating: .nan, count: (sound.count + outputs) * frames)
        let rows = (0..<sound.count + outputs).map { memory + $0 * frames }
        for (row, channel) in zip(rows, sound) { row.update(from: channel, count: frames) }
        rows.withUnsafeBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            let input = oav_bus(channels: base, channel_count: UInt32(sound.count), flags: 0)
            withUnsafePointer(to: input) { input in
                var cycle = oav_process(
                    inputs: input, input_count: 1, frames: UInt32(frames),
                    output: oav_bus(channels: base + sound.count, channel_count: UInt32(outputs), flags: 0),
                    sample_rate: 48_000, sample_time: Int64(time), host_time_ns: 0)
                unit.processor.process(unit.processor.context, &cycle)
            }
        }
        return rows.dropFirst(sound.count).map { Array(UnsafeBufferPointer(start: $0, count: frames)) }
    }
}
