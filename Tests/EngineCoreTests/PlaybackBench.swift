import AudioModel
import EngineCore
import RenderBench
import RenderCore

/// A playback at 1 kHz, so that a ramp is five frames long, and a host for it.
struct PlaybackBench {
    let playback: Playback
    var outputs: Int

    init(
        _ sources: [ChannelLabel] = [.mono], to outputs: [ChannelLabel]? = nil, maximumFrames: Int = 64,
        readAheadFrames: Int = 64
    ) {
        playback = Playback(
            sampleRate: 1000, maximumFrames: maximumFrames, sourceChannels: sources,
            readAheadSeconds: Double(readAheadFrames) / 1000)
        if let outputs { playback.setOutputChannels(outputs) }
        self.outputs = outputs?.count ?? sources.count
    }

    @discardableResult
    func write(_ samples: [Float]) -> Int {
        samples.withUnsafeBufferPointer { playback.write(interleaved: $0) }
    }

    @discardableResult
    func write(constant: Float, _ count: Int) -> Int { write([Float](repeating: constant, count: count)) }

    func render(
        _ frames: Int, isGated: Bool = false, missing: Set<Int> = [], hostTimeNanoseconds: UInt64 = 7
    ) -> [[Float]] {
        RenderBench.cycle(
            playback.renderer, outputs: outputs, frames: frames, isGated: isGated, missing: missing,
            hostTimeNanoseconds: hostTimeNanoseconds)
    }

    /// Of the first output.
    @discardableResult
    func renderMono(_ frames: Int, isGated: Bool = false) -> [Float] { render(frames, isGated: isGated)[0] }

    /// Kind and position of each event since the last call.
    func history() -> [Fact] { playback.takeEvents().map { Fact(kind: $0.kind, frame: $0.frame) } }

    struct Fact: Equatable, CustomStringConvertible {
        var kind: RenderEvent.Kind
        var frame: Int64
        init(kind: RenderEvent.Kind, frame: Int64) { (self.kind, self.frame) = (kind, frame) }
        init(_ kind: RenderEvent.Kind, _ frame: Int64) { (self.kind, self.frame) = (kind, frame) }
        var description: String { "\(kind)@\(frame)" }
    }
}

/// Equal within two roundings of a Float32 at 1, which is what a ramp's gain and its product may differ by.
func isClose(_ a: [Float], _ b: [Float]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 2 * Float.ulpOfOne }
}
