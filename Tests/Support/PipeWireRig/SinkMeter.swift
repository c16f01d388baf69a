import CRig

/// Counts what a sink plays, frame by frame, from its monitor.
///
/// A frame is loud if one of its channels is above −60 dBFS. Times are CLOCK_MONOTONIC in nanoseconds, as exact as one
/// quantum. Sendable because the C side locks in every call.
package final class SinkMeter: @unchecked Sendable {
    /// What was counted since the mark.
    package struct Reading: Sendable, Equatable {
        package let markedAtNanoseconds: UInt64
        /// All frames seen, silent ones too: proof that the meter was alive.
        package let frames: Int
        package let loudFrames: Int
        /// Nil if no frame was loud.
        package let firstLoudAtNanoseconds: UInt64?
        package let lastLoudAtNanoseconds: UInt64?
        /// Numbers of the first and the last loud frame, counted from the mark; nil if no frame was loud.
        package let loudSpan: ClosedRange<Int>?
        /// Frames the sink played and the meter did not get; a count is exact only where this is 0.
        package let missedFrames: Int
        package let peak: Float
    }

    private let rig: PrivatePipeWire  // kept alive: without it the server ends
    private let connection: RigConnection
    private let pointer: OpaquePointer
    private let channelCount: Int
    private let capturedFrames: Int
    private let timeout: Duration

    init(
        rig: PrivatePipeWire, connection: RigConnection, pointer: OpaquePointer, channelCount: Int, capturedFrames: Int,
        timeout: Duration
    ) {
        self.rig = rig
        self.connection = connection
        self.pointer = pointer
        self.channelCount = channelCount
        self.capturedFrames = capturedFrames
        self.timeout = timeout
    }

    /// Begins to count again, forgets what was captured, and returns the time.
    @discardableResult
    package func mark() -> UInt64 {
        oav_rig_meter_mark(pointer)
    }

    /// Ends the metering; the reading stays.
    ///
    /// Else a meter goes on with the next sink of that name: whoever makes many sinks in turn stops each one's meter.
    package func stop() {
        oav_rig_meter_stop(connection.pointer, pointer)
    }

    package var reading: Reading {
        var reading = oav_rig_meter_reading()
        oav_rig_meter_read(pointer, &reading)
        let isLoud = reading.loud_frames > 0
        return Reading(
            markedAtNanoseconds: reading.marked_at, frames: Int(reading.frames), loudFrames: Int(reading.loud_frames),
            firstLoudAtNanoseconds: isLoud ? reading.first_loud_at : nil,
            lastLoudAtNanoseconds: isLoud ? reading.last_loud_at : nil,
            loudSpan: isLoud ? Int(reading.first_loud_frame)...Int(reading.last_loud_frame) : nil,
            missedFrames: Int(reading.missed_frames), peak: reading.peak)
    }

    /// Waits until at least so many frames and loud frames were counted since the mark, and so many silent ones
    /// came last.
    @discardableResult
    package func wait(
        frames: Int = 0, loudFrames: Int = 0, quietFrames: Int = 0, timeout: Duration? = nil
    ) throws(RigError) -> Reading {
        let timeout = timeout ?? self.timeout
        let result = oav_rig_meter_wait(
            pointer, UInt64(frames), UInt64(loudFrames), UInt64(quietFrames), timeout.nanoseconds)
        do {
            try RigError.check(
                result, "the meter counts \(frames) frames, \(loudFrames) loud ones, then \(quietFrames) quiet ones",
                timeout: timeout)
        } catch .timedOut(let what, let duration, _) {
            throw .timedOut(waitingFor: what, after: duration, seen: "It had counted \(reading).")
        }
        return reading
    }

    /// The newest captured samples, `[channel][frame]`, oldest first; empty channels if the meter captures nothing.
    package func capturedSamples() -> [[Float]] { capture().samples }

    /// The newest captured samples, with the position of the driver's clock behind the last of them.
    ///
    /// Sinks that run in one graph have one driver, so that positions tell which of their frames sounded together.
    package func capture() -> (samples: [[Float]], endPosition: UInt64) {
        guard capturedFrames > 0 else { return (Array(repeating: [], count: channelCount), 0) }
        var samples = [Float](repeating: 0, count: channelCount * capturedFrames)
        var position: UInt64 = 0
        let count = oav_rig_meter_copy(pointer, &samples, capturedFrames, &position)
        let channels = (0..<channelCount).map { Array(samples[$0 * capturedFrames..<$0 * capturedFrames + count]) }
        return (channels, position)
    }
}
