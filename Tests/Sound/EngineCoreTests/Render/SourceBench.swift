import AudioModel
import EngineCore
import RenderBench

/// A renderer of one source at 1 kHz, so that a ramp is five frames long, and a host for it.
struct SourceBench {
    let engine: EngineRenderer
    let source: SourceFeed
    let mixer: SourceMixer
    var outputs: Int

    init(
        _ sources: [ChannelLabel] = [.mono], to outputs: [ChannelLabel]? = nil, maximumFrames: Int = 64,
        readAheadFrames: Int = 64
    ) {
        engine = EngineRenderer(sampleRate: 1000, maximumFrames: maximumFrames)
        source = engine.makeSource(channels: sources.count, readAheadSeconds: Double(readAheadFrames) / 1000)
        mixer = SourceMixer(engine: engine, source: source, channels: sources)
        if let outputs { mixer.setOutputs(outputs) }
        self.outputs = outputs?.count ?? sources.count
    }

    /// A mono source that plays, with so many frames of 1 in its buffer, and some of them rendered already.
    static func playing(_ frames: Int, rendered: Int = 0) -> SourceBench {
        let bench = SourceBench()
        bench.write(constant: 1, frames)
        bench.source.play()
        if rendered > 0 { bench.renderMono(rendered) }
        return bench
    }

    @discardableResult
    func write(_ samples: [Float]) -> Int {
        samples.withUnsafeBufferPointer { source.write(interleaved: $0) }
    }

    @discardableResult
    func write(constant: Float, _ count: Int) -> Int { write([Float](repeating: constant, count: count)) }

    func render(
        _ frames: Int, isGated: Bool = false, missing: Set<Int> = [], hostTimeNanoseconds: UInt64 = 7
    ) -> [[Float]] {
        RenderBench.cycle(
            engine.renderer, outputs: outputs, frames: frames, isGated: isGated, missing: missing,
            hostTimeNanoseconds: hostTimeNanoseconds)
    }

    /// Of the first output.
    @discardableResult
    func renderMono(_ frames: Int, isGated: Bool = false) -> [Float] { render(frames, isGated: isGated)[0] }

    /// What was written so far is all.
    func markEnd() { source.markEnd() }

    /// What has come to its end since the last call.
    func history() -> [Fact] {
        [source.takeDrain() ? Fact.drained : nil, source.takeFadeEnd() ? .fadeEnded : nil].compactMap(\.self)
    }

    enum Fact { case drained, fadeEnded }
}

/// Equal within two roundings of a Float32 at 1, which is what a ramp's gain and its product may differ by.
func isClose(_ a: [Float], _ b: [Float]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 2 * Float.ulpOfOne }
}

extension SourceFeed {
    func markEnd() { _ = append(interleaved: UnsafeBufferPointer(start: nil, count: 0), isEnd: true) }
}

extension SourceMixer {
    /// Mixes for one device with these channels, by the default map.
    func setOutputs(_ channels: [ChannelLabel]) {
        let port = Port(uid: "output", name: "Output", kind: .virtual, direction: .output, channels: channels)
        setOutputs([port], map: nil)
    }
}
