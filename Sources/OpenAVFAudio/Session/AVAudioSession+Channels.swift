internal import AudioModel
public import Foundation
internal import SessionCore

// Hardware values; read them again after each route change. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// The channels of the routed inputs together; 0 when the category has no input.
    public var inputNumberOfChannels: Int { runtime.state.route.channelCount(.input) }

    /// The channels of the routed outputs together; 0 when the category has no output.
    ///
    /// In `.multiRoute` the first port's channels come first, then the second's, in the order of
    /// `currentRoute.outputs`: what an output channel map counts.
    public var outputNumberOfChannels: Int { runtime.state.route.channelCount(.output) }

    /// The most channels that the present route's inputs can have: all of them are always in use here.
    public var maximumInputNumberOfChannels: Int { runtime.state.route.channelCount(.input) }

    /// The most channels that the present route's outputs can have, together in `.multiRoute`.
    ///
    /// All of them are always in use here. 64 at most: ports beyond that are not part of the route.
    public var maximumOutputNumberOfChannels: Int { runtime.state.route.channelCount(.output) }

    /// Says how many input channels the app would like.
    ///
    /// A wish that is remembered and read back: the input has what its hardware has, as ``inputNumberOfChannels`` says.
    ///
    /// - Throws: `incompatibleCategory` when the category has no input, `badParam` for a count below 0 or above
    ///   ``maximumInputNumberOfChannels``.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        try perform { call, _ in .channelCountPreferred(call, .input, count) }
    }

    /// 0 until it is set.
    public var preferredInputNumberOfChannels: Int { runtime.state.preferredChannels[.input] ?? 0 }

    /// Says how many output channels the app would like.
    ///
    /// A wish that is remembered and read back: the outputs have what their hardware has, as ``outputNumberOfChannels``
    /// says.
    ///
    /// - Throws: `incompatibleCategory` when the category has no output, `badParam` for a count below 0 or above
    ///   ``maximumOutputNumberOfChannels``.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        try perform { call, _ in .channelCountPreferred(call, .output, count) }
    }

    /// 0 until it is set.
    public var preferredOutputNumberOfChannels: Int { runtime.state.preferredChannels[.output] ?? 0 }

    /// Seconds between a frame that is rendered and the air: the longest of the streams that play; 0 where none does.
    ///
    /// Of several outputs at once it is the slowest one's, as far as the server tells. Waits for the session thread.
    public var outputLatency: TimeInterval {
        runtime.synchronously { [host = runtime.host] context in
            Double(context.latencyFrames) / host.sampleRate
        } ?? 0
    }
}
