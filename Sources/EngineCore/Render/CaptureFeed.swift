package import CRealtime
package import RenderCore

/// The receiving end of an input stream: what the host's data thread captures, for a reader to drain.
///
/// Sendable by rule: the pointer never changes, and what it points to is shared as `CaptureRing` documents.
package final class CaptureFeed: @unchecked Sendable {
    package let channels: Int
    private let feed: TapFeed
    private let ring: UnsafeMutablePointer<CaptureRing>

    /// - Parameters:
    ///   - channels: of what is drained, whatever the input has; see `CaptureRing`.
    ///   - maximumFrames: of one cycle.
    ///   - seconds: how long the frames may stay unread.
    package init(channels: Int, maximumFrames: Int, sampleRate: Double, seconds: Double) {
        self.channels = channels
        // Room for cycles down to 32 frames.
        let frames = max(maximumFrames, Int(sampleRate * seconds)).nextPowerOfTwo
        feed = TapFeed(
            channels: channels, maximumFrames: maximumFrames, frames: frames, blockCapacity: max(16, frames / 32))
        ring = .allocate(capacity: 1)
        ring.initialize(to: CaptureRing(tap: feed.tap))
    }

    /// Only when the stream has been closed.
    deinit {
        ring.deinitialize(count: 1)
        ring.deallocate()
    }

    /// For the stream's configuration; the feed must live until the stream has been closed.
    package var renderer: oav_renderer { oav_renderer(render: capture, context: ring) }

    /// From the next cycle on, silence is captured in place of the input, or the input again.
    ///
    /// Any thread.
    package func setMuted(_ isMuted: Bool) { ring.pointee.setMuted(isMuted) }

    /// Calls `body` with each block since the last call, in order; see `TapFeed.drain`.
    ///
    /// Where frames were lost, because they were not read in time, the block's sample time is later than the end of the
    /// block before.
    ///
    /// Any thread but the data thread.
    package func drain(_ body: (CycleBlock, UnsafeBufferPointer<Float>) -> Void) { feed.drain(body) }
}
