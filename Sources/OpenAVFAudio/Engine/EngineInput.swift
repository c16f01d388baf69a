import AudioModel
import CAudioTypes
import EngineCore
import HostInterface
import SessionCore

/// The input side of an engine: there once the app has asked for its input node.
///
/// Part of the engine's state, under its lock.
struct EngineInput {
    let node: NodeID
    let core: InputNodeController
    /// What the session's route has; by hand, what the app's block gives; nil while there is nothing.
    var device: StreamFormat?
    /// Which channel of the device each channel of the node is, below 0 for silence; nil for all as they are.
    var map: [Int]?
    /// What its input stream needs; nil while none is open.
    var open: Open?
    /// By hand, where the frames come from.
    var manual: ManualInput?
    /// The output plays some of it.
    var isHeard = false
    /// Who else hears it.
    var delivery: InputDelivery?

    struct Open {
        var capture: EngineCapture
        /// From the air to a captured frame, as the host said at the start; at the device's rate.
        var latencyFrames = 0
    }

    /// Of the node's output bus; nil while there is no device.
    var format: StreamFormat? {
        guard let device, let map else { return device }
        return StreamFormat(sampleRate: device.sampleRate, channels: ChannelLabel.standard(count: map.count))
    }
}

/// Who hears the captured frames beside the output, and how they are made of the device's.
struct InputDelivery: Sendable {
    var device: StreamFormat
    var format: StreamFormat
    var map: [Int]?
    var tap: TapController?
    var sinks: [(core: SinkNodeController, plan: SinkPlan)]

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

extension EngineController.State {
    /// Whether a start needs an output: one that only listens does not, nor one that records where nothing may sound.
    var usesOutput: Bool {
        guard input != nil, let output else { return input == nil }
        return !isMuted && graph.connection(into: NodeBus(output)) != nil
    }

    /// The input is this from now on.
    mutating func adoptInput(_ device: StreamFormat?) {
        guard let old = input, old.device != device else { return }
        if old.device?.channels.count != device?.channels.count { input?.map = nil }
        input?.device = device
        setInputFormat()
    }

    /// Gives the node what its device and its map come to.
    mutating func setInputFormat() {
        guard let input, let format = input.format else { return }
        // Attached as long as the engine lives, and the format is one: it can not fail.
        try? graph.setFormat(format, of: input.node)
        nodes[input.node]?.setFormat(AVAudioFormat(format))
    }

    /// Finds out who hears the input.
    mutating func updateInput() {
        guard let input else { return }
        self.input?.isHeard = graph.isRendered(input.node)
        guard let device = input.device, let format = input.format else {
            self.input?.delivery = nil
            return
        }
        let isTapped = (try? graph.node(input.node).isTapped) ?? false
        self.input?.delivery = InputDelivery(
            device: device, format: format, map: input.map, tap: isTapped ? taps[input.node] : nil,
            sinks: graph.sinkPlans(input: input.node).compactMap { plan in
                nodes[plan.node]?.sink.map { ($0, plan) }
            })
    }

    /// As many as a stream can be linked to.
    private static let mostInputChannels = RoutePolicy.maximumOutputChannels

    /// - Throws: why the map can not be; the one before stays.
    mutating func setInputMap(_ map: [Int]?) throws(GraphError) {
        guard let device = input?.device else { throw .nothingToMap(node: "the input") }
        if let map {
            guard !map.isEmpty else { throw .channelMapEmpty(node: "the input") }
            guard map.count <= Self.mostInputChannels else {
                throw .channelMapTooLong(node: "the input", received: map.count, allowed: Self.mostInputChannels)
            }
            for (index, value) in map.enumerated() where value >= device.channels.count {
                throw .channelMapValue(
                    node: "the input", value: value, index: index, channels: device.channels.count)
            }
        }
        input?.map = map
        setInputFormat()
    }
}
