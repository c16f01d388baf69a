/// Changes the frames of a sound where they are read.
///
/// The thread that reads, one call at a time, with no lock held: an app's code may run in it.
package protocol FrameFilter: AnyObject, Sendable {
    /// Whether its changes must be heard soon: little is read ahead then, and what was read before is read again.
    ///
    /// Any thread.
    var isActive: Bool { get }

    /// - Parameter frames: [frame][channel].
    func filter(_ frames: UnsafeMutableBufferPointer<Float>, at place: FramePlace)
}

/// Where frames are in their sound.
package struct FramePlace: Hashable, Sendable {
    package var first: Int64
    package var frames: Int
    package var channels: Int
    /// In hertz; of the frames.
    package var sampleRate: Double
    /// The sound ends with them.
    package var isEnd: Bool

    package init(first: Int64, frames: Int, channels: Int, sampleRate: Double, isEnd: Bool) {
        (self.first, self.frames, self.channels) = (first, frames, channels)
        (self.sampleRate, self.isEnd) = (sampleRate, isEnd)
    }
}
