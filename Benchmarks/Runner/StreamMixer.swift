import CPeer

/// SDL 2's audio streams and its mixing function, fed with the sources of a lane.
final class StreamMixer {
    private let sdl: OpaquePointer
    private let sources: Int
    private let frames: Int
    private let output: UnsafeMutableBufferPointer<Float>

    /// - Throws: where SDL is not installed.
    init(sources: Int, frames: Int) throws {
        guard let sdl = cpeer_sdl_open(UInt32(sources)) else {
            throw Failure("There is no libSDL2 to compare with. Run dev/install-packages bench, then try again.")
        }
        self.sdl = sdl
        self.sources = sources
        self.frames = frames
        output = .allocate(capacity: MixLane.outputs * max(frames, 1))
        output.initialize(repeating: 0)
    }

    deinit {
        cpeer_sdl_close(sdl)
        output.deallocate()
    }

    /// The gains with which SDL spreads stereo over 5.1, [output][source channel], as measured on one frame a channel.
    static func gains() throws -> [[Float]] {
        let mixer = try StreamMixer(sources: 1, frames: 2)
        // As soft as the sources, as SDL's mixing clips at full scale.
        let impulses: [Float] = [0.25, 0, 0, 0.25]
        guard cpeer_sdl_put(mixer.sdl, 0, impulses, 2) >= 0 else { throw Failure("SDL takes no frames.") }
        try mixer.mix()
        return (0..<MixLane.outputs).map { [mixer.output[$0] * 4, mixer.output[MixLane.outputs + $0] * 4] }
    }

    /// Nanoseconds a frame; putting into the streams counts, since SDL converts there.
    func render(_ lane: MixLane) throws -> Double {
        var hasFailed = false
        let time = MixLane.measured(frames) { cycle in
            for source in 0..<sources
            where cpeer_sdl_put(sdl, UInt32(source), lane.input(source) + 2 * cycle * frames, UInt32(frames)) < 0 {
                hasFailed = true
            }
            if (try? mix()) == nil { hasFailed = true }
        }
        if hasFailed { throw Failure("SDL took or gave fewer frames than it should.") }
        return time
    }

    private func mix() throws {
        guard let first = output.baseAddress, cpeer_sdl_mix(sdl, UInt32(frames), first) == 0 else {
            throw Failure("SDL gives fewer frames than it took.")
        }
    }

    /// The last cycle, [output][frame].
    var rendered: [Float] {
        (0..<MixLane.outputs).flatMap { output in (0..<frames).map { self.output[$0 * MixLane.outputs + output] } }
    }
}
