package import AudioModel

/// One output stream, or one input stream.
///
/// Control plane: session thread only.
///
/// A stream sounds only while it runs, is linked and its gate is open. The host closes the gate and unlinks by itself,
/// at once, when a linked port goes away (it then delivers a `PortLoss`); only `link` opens it again.
///
/// An input stream is the mirror image: its render function is handed what its ports pick up, and is not called at all
/// while the gate is closed. It is linked to input ports only, never to what an output plays.
package protocol HostStream: AnyObject, Sendable {
    var id: StreamID { get }

    /// Unlinks the stream, then begins to link it to these ports and no others, channel by channel in order; the gate opens
    /// when all links are made.
    ///
    /// The call returns without waiting for a server; `start` may follow at once. A later `link`, `unlink` or `close`
    /// replaces a link that is still being made.
    /// The cycle's `output_channels` (`input_channels` of an input stream) is from then on the sum of the ports' channels.
    /// A port whose hardware is switched to another one (a card's inactive route) is switched over first.
    ///
    /// A failure that the host knows at once is thrown: `noSuchPort` (also for a port of the other direction), `refused`,
    /// `connectionLost`. A later one is an event: a `PortLoss` names the port that went away meanwhile, `streamFailed`
    /// carries a refusal, also the server's silence of 2 s. The gate is closed in each case. `noSuchPort` is followed by an
    /// inventory: without the port, or, since it may be back, with a `PortLoss` of it.
    func link(to portUIDs: [String]) throws(HostError)

    /// Closes the gate and unlinks. The render thread writes silence from its next cycle on; nothing is captured any more.
    func unlink()

    /// Lets the render function be called. Idempotent.
    func start()

    /// Stops the calls of the render function; the last one has returned when this returns. Idempotent.
    func stop()

    /// Ends the stream for good; the renderer's memory may be freed once this has returned. Idempotent.
    func close()

    /// Frames between a rendered frame and the air, or between the air and a captured frame, at the stream's rate; 0
    /// while unlinked.
    var latencyFrames: Int { get }

    /// Says how long a cycle the app would like; 0 leaves it to the host.
    ///
    /// It may be said at any time. Others at the same hardware may want a shorter one; a host whose cycle is fixed does
    /// nothing.
    func preferCycle(seconds: Double)

    /// How long the last cycle was, in seconds; 0 while none is known.
    var cycleSeconds: Double { get }
}
