import CRealtime

@testable import EffectCore

/// Renders environments by hand, at 48 kHz.
enum SpaceBench {
    static func processor(_ channels: [Int], _ filters: (any HeadFilters)? = nil) -> SpaceProcessor {
        SpaceProcessor(inputChannels: channels, sampleRate: 48_000, maximumFrames: 512, filters: filters)
    }

    static func place(
        _ processor: SpaceProcessor, _ mixing: SpaceMixing, bus: Int = 0, scene: SpaceScene = SpaceScene()
    ) {
        processor.place(
            bus: bus,
            scene.placing(
                mixing, volume: 1, channels: processor.inputChannels[bus], hasHeadFilters: processor.hasHeadFilters))
    }

    static func render(
        _ processor: SpaceProcessor, _ inputs: [[[Float]]], channels: Int = 2, block: Int = 64,
        between: (Int) -> Void = { _ in }
    ) -> [[Float]] {
        let frames = inputs[0][0].count
        let blocks = [Int](repeating: block, count: frames / block) + (frames % block > 0 ? [frames % block] : [])
        return render(processor, inputs, channels: channels, blocks: blocks, between: between)
    }

    /// - Parameters:
    ///   - inputs: [bus][channel][frame], each as many frames as the blocks have.
    ///   - channels: of the output; what is not written is no number.
    ///   - between: called with each block's first frame, before it.
    /// - Returns: [channel][frame].
    static func render(
        _ processor: SpaceProcessor, _ inputs: [[[Float]]], channels: Int, blocks: [Int],
        between: (Int) -> Void = { _ in }
    ) -> [[Float]] {
        var heard = [[Float]](repeating: [], count: channels)
        var first = 0
        for count in blocks {
            between(first)
            let rows = inputs.map {
                $0.map { row in
                    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
                    memory.initialize(from: Array(row[first..<first + count]), count: count)
                    return memory
                }
            }
            let output = (0..<channels).map { _ in
                let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
                memory.initialize(repeating: .nan, count: count)
                return memory
            }
            defer {
                for row in rows.joined() { row.deallocate() }
                for row in output { row.deallocate() }
            }
            let pointers = rows.map { row in
                let list = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: row.count)
                list.initialize(from: row, count: row.count)
                return list
            }
            defer { for list in pointers { list.deallocate() } }
            let buses = zip(pointers, rows).map { oav_bus(channels: $0, channel_count: UInt32($1.count), flags: 0) }
            output.withUnsafeBufferPointer { output in
                buses.withUnsafeBufferPointer { buses in
                    guard let base = buses.baseAddress, let outputs = output.baseAddress else { return }
                    var process = oav_process(
                        inputs: base, input_count: UInt32(buses.count), frames: UInt32(count),
                        output: oav_bus(channels: outputs, channel_count: UInt32(channels), flags: 0),
                        sample_rate: 48_000, sample_time: 0, host_time_ns: 0)
                    processor.processor.process(processor.processor.context, &process)
                }
            }
            for channel in 0..<channels { heard[channel] += UnsafeBufferPointer(start: output[channel], count: count) }
            first += count
        }
        return heard
    }
}
