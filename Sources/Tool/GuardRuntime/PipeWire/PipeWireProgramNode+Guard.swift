package import HostPipeWire

/// What only a guard asks of a node.
extension PipeWireProgramNode {
    /// Whether the claim is a guard's, and not a session's.
    package var isGuard: Bool { isClaim && properties["node.name"] == "audiosession.guard" }

    /// Whether the stream records; only guards see such streams.
    package var isCapture: Bool { properties["media.class"] == "Stream/Input/Audio" }

    /// Whether the stream only measures, and keeps nothing of what it captures.
    package var isMeter: Bool { isTrue("resample.peaks") || isTrue("stream.monitor") }

    /// Whether the session manager links the stream, and moves it when its sink leaves.
    package var isMovable: Bool {
        isTrue("node.autoconnect") && !isTrue("node.dont-reconnect") && !isTrue("node.dont-move")
            && !isTrue("node.exclusive")
    }
}
