/// The reason why an edit of the graph was refused, or why the graph cannot play.
///
/// A refused edit leaves the graph as it was.
package enum GraphError: Error, Hashable, Sendable, CustomStringConvertible {
    case notAttached(NodeID)
    /// The node has no bus on that side.
    case noOutputBus(node: String)
    case noInputBus(node: String)
    case busOutOfRange(node: String, side: Side, bus: Int, count: Int?)
    case invalidFormat(node: String, StreamFormat)
    case secondOutput(node: String)
    case cycle(nodes: [String])
    case repeatedDestination(node: String, bus: Int)
    case invalidVolume(node: String, Float)
    case invalidPan(node: String, Float)
    case notConnected(from: String, to: String)
    case alreadyTapped(node: String)
    case notTappable(node: String)
    case notMappable(node: String)
    case channelMapSize(node: String, received: Int, allowed: Int)
    case channelMapValue(node: String, value: Int, index: Int, channels: Int)
    /// The map of an input is empty; its length sets the number of recorded channels.
    case channelMapEmpty(node: String)
    case channelMapTooLong(node: String, received: Int, allowed: Int)
    /// The route has no device.
    case nothingToMap(node: String)
    /// The sink is fed by another node than the input, or at another rate.
    case sinkNotFedByInput(node: String)
    /// A processor runs on one clock, and the output already plays this one.
    case sinkBehindPlayedProcessor(node: String, processor: String)
    case noOutput
    case outputNotConnected(node: String)
    /// A node before a time effect may feed nothing else.
    case timeEffectBesideOthers(effect: String, source: String)
    case timeEffectFormat(effect: String, StreamFormat, channels: ClosedRange<Int>, highestRate: Double)
    /// A plug-in, or the app's unit, does not support the format of its input.
    case unitRefused(unit: String, reason: String)
    case splitRates(node: String, rate: Double, mixer: String, mixerRate: Double)

    package enum Side: Hashable, Sendable { case input, output }

    package var description: String {
        switch self {
        case .notAttached(let id):
            "The graph has no \(id): attach a node before you connect it or set anything on it."
        case .noOutputBus(let node):
            "\(node.sentenceStart) has no output bus: connect from a source or a mixer."
        case .noInputBus(let node):
            "\(node.sentenceStart) has no input bus: connect to a mixer, an output or a sink."
        case .busOutOfRange(let node, let side, let bus, let count):
            """
            \(node.sentenceStart) has no \(side == .input ? "input" : "output") bus \(bus): \
            \(count.map { "it has \($0), counted from 0." } ?? "its buses count from 0.")
            """
        case .invalidFormat(let node, let format):
            """
            \(node.sentenceStart) cannot have the format \(format): give a rate above 0 Hz and at least one channel. A \
            device that is not there has none; wait for the next route.
            """
        case .secondOutput(let node):
            "The graph has an output already, \(node): connect to that one, or detach it first."
        case .cycle(let nodes):
            "The connection would close a cycle: \(nodes.joined(separator: " -> ")). Connect towards the output only."
        case .repeatedDestination(let node, let bus):
            "Input bus \(bus) of \(node) is named twice: one bus takes one connection; name another bus."
        case .invalidVolume(let node, let volume):
            "\(node.sentenceStart) cannot have the volume \(volume): give a finite number from 0 on; 1 changes nothing."
        case .invalidPan(let node, let pan):
            "\(node.sentenceStart) cannot have the pan \(pan): give -1 (left) to 1 (right)."
        case .notConnected(let from, let to):
            "\(from.sentenceStart) is not connected to \(to): connect them first."
        case .alreadyTapped(let node):
            "\(node.sentenceStart) has a tap already: a bus has one; remove it first."
        case .notTappable(let node):
            "\(node.sentenceStart) has no output bus to tap: tap the source or mixer that feeds it."
        case .notMappable(let node):
            "\(node.sentenceStart) has no channel map: set it on the output, the input or a player."
        case .channelMapSize(let node, let received, let allowed):
            """
            The channel map of \(node) has \(received) entries and must have \(allowed), one for each of its channels: \
            fill the others with -1. The map set before stays.
            """
        case .channelMapValue(let node, let value, let index, let channels):
            """
            Entry \(index) of the channel map of \(node) names channel \(value): give 0 to \(channels - 1), or -1 for \
            silence. The map set before stays.
            """
        case .channelMapEmpty(let node):
            """
            The channel map of \(node) is empty: give one entry for each channel that is to be recorded. The map set before \
            stays.
            """
        case .channelMapTooLong(let node, let received, let allowed):
            """
            The channel map of \(node) has \(received) entries and may have \(allowed) at most. The map set before stays.
            """
        case .nothingToMap(let node):
            """
            \(node.sentenceStart) has no channels to map, as the session's route has no device for it: set a category that \
            uses one, connect a device, and set the map then.
            """
        case .sinkNotFedByInput(let node):
            """
            \(node.sentenceStart) can only be fed by the engine's input, at the input's rate: connect the input node to it, \
            with mixers and effects at that rate between them if need be, and no other source.
            """
        case .sinkBehindPlayedProcessor(let node, let processor):
            """
            \(node.sentenceStart) cannot hear what \(processor) makes, which the output plays too: connect another processor of the \
            same kind to the sink.
            """
        case .noOutput:
            "The graph has no output: attach one."
        case .outputNotConnected(let node):
            "Nothing is connected to \(node): connect a mixer or a source to it before you start."
        case .timeEffectBesideOthers(let effect, let source):
            """
            \(source.sentenceStart) cannot feed other nodes beside \(effect), which asks for sound at its own pace: let all \
            its ways lead to the effect. What leaves the last effect may go to several nodes.
            """
        case .timeEffectFormat(let effect, let format, let channels, let highestRate):
            """
            \(effect.sentenceStart) cannot change sound of \(format): give \(channels.lowerBound) to \
            \(channels.upperBound) channels at a rate of \(highestRate) Hz at most.
            """
        case .unitRefused(let unit, let reason):
            "\(unit.sentenceStart) cannot be used here: \(reason)"
        case .splitRates(let node, let rate, let mixer, let mixerRate):
            """
            \(node.sentenceStart) feeds several nodes at \(rate) Hz, and on one of the ways \(mixer) has \(mixerRate) Hz: \
            keep one rate up to the mixer where the ways meet.
            """
        }
    }
}

extension String {
    /// The text with a capital first letter.
    fileprivate var sentenceStart: String { prefix(1).uppercased() + dropFirst() }
}
