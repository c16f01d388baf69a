import AudioModel
import EngineCore
import SessionCore

/// The input side of an engine: it exists once the app has asked for the input node.
///
/// Part of the engine's state, under its lock.
struct EngineInput {
    let node: NodeID
    let core: InputNodeController
    /// What the session's route has; by hand, what the app's block gives; nil while there is nothing.
    var device: StreamFormat?
    /// Which channel of the device each channel of the node is, below 0 for silence; nil for all as they are.
    var map: [Int]?
    /// What the app was told of the device, for strict tests: on iOS it stays what it was.
    var announced: StreamFormat?
    /// What the tap was compared with, for strict tests.
    var judged: StreamFormat?
    /// What its input stream needs; nil while none is open.
    var open: Capture?
    /// By hand, where the frames come from.
    var manual: ManualInput?
    /// The output plays some of it.
    var isHeard = false
    /// Who else hears it.
    var delivery: InputDelivery?

    struct Capture {
        let feed: CaptureFeed
        /// Of the device that the stream was opened for.
        let format: StreamFormat
        /// Those that hear it in its cycles.
        var sinks: [SinkTap] = []
        /// From the air to a captured frame, as the host said at the start; at the device's rate.
        var latencyFrames = 0

        /// How long captured frames may wait before some are lost.
        private static let ringSeconds = 2.0

        init(format: StreamFormat) {
            self.format = format
            feed = CaptureFeed(
                channels: format.channels.count, maximumFrames: EngineController.maximumFrames,
                sampleRate: format.sampleRate, seconds: Self.ringSeconds)
        }
    }

    struct SinkTap {
        let core: SinkNodeController
        /// Of what it hears.
        let format: StreamFormat
        let tap: TapFeed
    }

    /// Of the node's output bus; nil while there is no device.
    var format: StreamFormat? {
        guard let device, let map else { return device }
        return StreamFormat(sampleRate: device.sampleRate, channels: ChannelLabel.standard(count: map.count))
    }

    /// False where a stream is open for a device of another shape.
    func isCapturing(from device: StreamFormat?) -> Bool {
        open.map { open in device.map(open.format.hasShape) ?? false } ?? true
    }

    /// As many as a stream can be linked to.
    private static let mostChannels = RoutePolicy.maximumOutputChannels

    /// - Throws: why the map cannot be; the one before stays.
    mutating func setMap(_ map: [Int]?) throws(GraphError) {
        guard let device else { throw .nothingToMap(node: "the input") }
        if let map {
            guard !map.isEmpty else { throw .channelMapEmpty(node: "the input") }
            guard map.count <= Self.mostChannels else {
                throw .channelMapTooLong(node: "the input", received: map.count, allowed: Self.mostChannels)
            }
            for (index, value) in map.enumerated() where value >= device.channels.count {
                throw .channelMapValue(
                    node: "the input", value: value, index: index, channels: device.channels.count)
            }
        }
        self.map = map
    }
}

/// Who hears the captured frames beside the output, and how they are made of the device's.
struct InputDelivery: Sendable {
    var device: StreamFormat
    var format: StreamFormat
    var map: [Int]?
    var tap: TapController?
    var sinks: [SinkNodeController]

    /// The device's interleaved frames in the node's channels.
    func mapped(_ samples: UnsafeBufferPointer<Float>, frames: Int) -> [Float] {
        guard let map else { return Array(samples) }
        let inputs = device.channels.count
        var mapped = [Float](repeating: 0, count: frames * map.count)
        for (channel, source) in map.enumerated() where source >= 0 {
            for frame in 0..<frames { mapped[frame * map.count + channel] = samples[frame * inputs + source] }
        }
        return mapped
    }
}

extension StreamFormat {
    /// Whether what is made for one does for the other: what their channels are called is no matter.
    func hasShape(of other: StreamFormat) -> Bool {
        sampleRate == other.sampleRate && channels.count == other.channels.count
    }
}
