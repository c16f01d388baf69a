package import AudioModel
package import CRealtime

/// How to open a stream.
package struct StreamConfiguration: Sendable {
    package var id: StreamID
    /// Where its frames go: out to output ports, or in from input ports.
    package var direction: PortDirection
    /// What mixers show; untrusted text (a file's title, say).
    package var title: String
    /// Hertz; the host resamples where its hardware runs at another rate.
    package var sampleRate: Double
    /// PipeWire's `media.role`: "Music", "Movie", "Communication" ...; nil for none.
    package var role: String?
    /// The streams of a program with the same number have their cycles together, where the host can have one clock drive
    /// them; nil for none.
    package var cycleGroup: UInt64?
    /// Where the host can, the output's cycles come after those of the input of its group, which it plays.
    ///
    /// Set for both; the input is opened first.
    package var ordersCycles: Bool
    /// The most frames one cycle may ask for.
    package var maximumFrames: Int
    /// Called on the host's data thread once a cycle.
    package var renderer: oav_renderer
    /// Called before each cycle by hosts whose time is virtual, on the thread that advances time, so that read-ahead
    /// keeps up with a clock that jumps.
    ///
    /// Hosts in real time never call it.
    package var beforeVirtualCycle: (@Sendable () -> Void)?

    package init(
        id: StreamID, direction: PortDirection = .output, title: String, sampleRate: Double, role: String? = nil,
        cycleGroup: UInt64? = nil, ordersCycles: Bool = false, maximumFrames: Int = 8192,
        renderer: oav_renderer, beforeVirtualCycle: (@Sendable () -> Void)? = nil
    ) {
        self.id = id
        self.direction = direction
        self.title = title
        self.sampleRate = sampleRate
        self.role = role
        self.cycleGroup = cycleGroup
        self.ordersCycles = ordersCycles
        self.maximumFrames = maximumFrames
        self.renderer = renderer
        self.beforeVirtualCycle = beforeVirtualCycle
    }
}
