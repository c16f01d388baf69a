internal import AudioModel
internal import HostSimulated

/// Records what reaches the output ports, for tests.
struct SoundRecorder: OutputRecorder {
    var captures: [String: PortCapture] = [:]
    /// The most frames to keep of each port.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func follow(_ outputs: [Port], from frame: Int) {
        for port in outputs where captures[port.uid]?.channels.count != port.channels.count {
            captures[port.uid] = PortCapture(channelCount: port.channels.count, startFrame: frame, limit: limit)
        }
    }

    mutating func add(_ part: RenderedCycle, of stream: StreamState, hardware: Hardware, in cycle: Range<Int>) {
        var streamChannel = 0
        for link in stream.links {
            let channelCount = hardware.output(uid: link)?.channels.count ?? 0
            defer { streamChannel += channelCount }
            guard let uid = hardware.audiblePortUID(linkedTo: link), let recorded = captures[uid]?.channels.count
            else { continue }
            captures[uid]?.pad(toFrame: cycle.lowerBound)
            for channel in 0..<min(channelCount, recorded) {
                if stream.clock.isUnity {
                    let samples = part.buffers.rendered(channel: streamChannel + channel, frames: part.frames)
                    captures[uid]?.add(samples, channel: channel, atFrame: cycle.lowerBound)
                } else {
                    part.buffers.resampled(
                        channel: streamChannel + channel, frames: part.frames, cycle: cycle, clock: stream.clock
                    ).withUnsafeBufferPointer {
                        captures[uid]?.add($0, channel: channel, atFrame: cycle.lowerBound)
                    }
                }
            }
        }
    }
}

extension MachineState {
    var captures: [String: PortCapture] {
        get { (recorder as? SoundRecorder)?.captures ?? [:] }
        set {
            guard var own = recorder as? SoundRecorder else { return }
            own.captures = newValue
            recorder = own
        }
    }
}

/// What reached one output port, on the axis of virtual time: frames in which nothing was linked are zeros.
package struct PortCapture: Sendable {
    /// The virtual time of the first frame in `channels`, in frames of the machine.
    package private(set) var startFrame: Int
    /// [channel][frame], planar.
    package private(set) var channels: [[Float]]
    /// The most frames to keep.
    package let limit: Int
    private let firstFrame: Int
    /// Up to where `read` has come.
    private var readFrame = 0

    init(channelCount: Int, startFrame: Int, limit: Int) {
        self.startFrame = startFrame
        self.firstFrame = startFrame
        self.channels = Array(repeating: [], count: channelCount)
        self.limit = limit
    }

    package var frameCount: Int { channels.first?.count ?? 0 }
    package var endFrame: Int { startFrame + frameCount }
    /// The number of frames that were removed for newer ones.
    package var droppedFrames: Int { startFrame - firstFrame }

    /// Records silence up to `frame`, and removes the oldest frames once there are 1.5 times as many as the limit: each
    /// frame is moved twice at most.
    mutating func pad(toFrame frame: Int) {
        if frame - endFrame >= limit {
            // A long silence must not cost its length in memory.
            channels = channels.map { _ in Array(repeating: 0, count: limit) }
            startFrame = frame - limit
            return
        }
        for channel in channels.indices {
            let missing = frame - startFrame - channels[channel].count
            if missing > 0 { channels[channel] += Array(repeating: 0, count: missing) }
        }
        if frameCount > limit + limit / 2 { trim() }
    }

    /// Removes the frames beyond the limit.
    mutating func trim() {
        let excess = frameCount - limit
        guard excess > 0 else { return }
        for channel in channels.indices { channels[channel].removeFirst(excess) }
        startFrame += excess
    }

    /// Adds one channel of a cycle that begins at `frame` to what other streams left there in the same cycle.
    ///
    /// The caller pads up to the cycle's first frame before the first addition of a cycle.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, channel: Int, atFrame frame: Int) {
        let offset = frame - startFrame
        if channels[channel].count == offset {
            channels[channel].append(contentsOf: samples)
            return
        }
        channels[channel].withUnsafeMutableBufferPointer { mix in
            var index = 0
            while index < samples.count {
                mix[offset + index] += samples[index]
                index += 1
            }
        }
    }

    /// Hands over the frames since the last call: the first one's place, and where it is in the channels.
    mutating func read(body: (_ startFrame: Int, [[Float]], _ offset: Int) -> Void) {
        let offset = max(0, readFrame - startFrame)
        guard offset < frameCount else { return }
        readFrame = endFrame
        body(startFrame + offset, channels, offset)
    }
}
