internal import AudioModel
public import Foundation
internal import SessionCore
internal import SessionRuntime

// Hardware values; read them again after each route change. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// The number of channels of all inputs of the route; 0 if the category has no input.
    public var inputNumberOfChannels: Int { runtime.state.route.channelCount(.input) }

    /// The number of channels of all outputs of the route; 0 if the category has no output.
    ///
    /// In `.multiRoute` the channels of the first port come first, then those of the second, in the order of
    /// `currentRoute.outputs`. An output channel map uses this numbering.
    public var outputNumberOfChannels: Int { runtime.state.route.channelCount(.output) }

    /// The maximum number of channels of the current route's inputs; here all of them are always in use.
    public var maximumInputNumberOfChannels: Int { runtime.state.route.channelCount(.input) }

    /// The maximum number of channels of the current route's outputs; the sum in `.multiRoute`.
    ///
    /// Here all of them are always in use. At most 64: further ports are not part of the route.
    public var maximumOutputNumberOfChannels: Int { runtime.state.route.channelCount(.output) }

    /// Sets the preferred number of input channels.
    ///
    /// The preference is stored and read back only. The input has the channels of its hardware; see
    /// ``inputNumberOfChannels``.
    ///
    /// - Throws: `incompatibleCategory` if the category has no input, `badParam` for a count below 0 or above
    ///   ``maximumInputNumberOfChannels``.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        try perform { call, _ in .channelCountPreferred(call, .input, count) }
    }

    /// 0 until it is set.
    public var preferredInputNumberOfChannels: Int { runtime.state.preferredChannels[.input] ?? 0 }

    /// Sets the preferred number of output channels.
    ///
    /// The preference is stored and read back only. The outputs have the channels of their hardware; see
    /// ``outputNumberOfChannels``.
    ///
    /// - Throws: `incompatibleCategory` if the category has no output, `badParam` for a count below 0 or above
    ///   ``maximumOutputNumberOfChannels``.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        try perform { call, _ in .channelCountPreferred(call, .output, count) }
    }

    /// 0 until it is set.
    public var preferredOutputNumberOfChannels: Int { runtime.state.preferredChannels[.output] ?? 0 }

    /// Seconds from rendering a frame to hearing it: the maximum of the playing streams; 0 if none plays.
    ///
    /// With several outputs it is the value of the slowest one that the server reports. Waits for the session thread.
    public var outputLatency: TimeInterval { latency(.output) }

    /// Seconds from the air to a captured frame: the maximum of the recording streams; 0 if none records.
    ///
    /// Waits for the session thread.
    public var inputLatency: TimeInterval { latency(.input) }

    private func latency(_ direction: PortDirection) -> TimeInterval {
        runtime.synchronously { [host = runtime.host] context in
            Double(context.latencyFrames(direction)) / host.sampleRate
        } ?? 0
    }
}
