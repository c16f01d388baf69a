import AudioModel
import EngineCore
import RenderBench
import Synchronization

/// A mono player at 1 kHz, pumped before each cycle as in virtual time.
///
/// An item's frames are its id times 1000 plus the frame's number, from 1 on.
final class PlayerBench: Sendable {
    let engine = EngineRenderer(sampleRate: 1000, maximumFrames: 64)
    let player: EnginePlayer

    private final class Log: Sendable {
        let completions = Mutex<[ItemCompletion]>([])
    }
    private let log: Log

    init(readAheadSeconds: Double = 0.064, converter: (any FrameConverter)? = nil) {
        let log = Log()
        self.log = log
        player = EnginePlayer(
            engine: engine, source: engine.makeSource(channels: 1, readAheadSeconds: readAheadSeconds),
            converter: converter, items: NumberedItems()
        ) { completion in
            log.completions.withLock { $0.append(completion) }
        }
        engine.publish(sources: [player.source], outputChannels: 1, matrix: [1])
    }

    static func sample(_ item: UInt64, _ frame: Int64) -> Float { Float(item) * 1000 + Float(frame) + 1 }

    static func samples(_ item: UInt64, _ frames: Range<Int64>) -> [Float] { frames.map { sample(item, $0) } }

    func schedule(
        _ id: UInt64, _ frames: Int64, at time: Int64? = nil, loops: Int = 0,
        callback: ScheduledItem.Callback = .dataRendered, _ interruption: ScheduleInterruption = .none
    ) {
        player.schedule(
            ScheduledItem(id: id, frames: frames, time: time, loops: loops, callback: callback),
            interrupting: interruption)
    }

    func render(_ frames: Int, isGated: Bool = false) -> [Float] {
        while player.pump(minimumFrames: frames) == .atOnce {}
        let rendered = RenderBench.cycle(engine.renderer, outputs: 1, frames: frames, isGated: isGated)[0]
        while player.pump(minimumFrames: 0) == .atOnce {}
        return rendered
    }

    /// The player's time at the end of the last cycle.
    var elapsedFrames: Int64 {
        guard let cycle = engine.lastCycle else { return 0 }
        return player.playerFrames(atSampleTime: cycle.sampleTime + Int64(cycle.frames)) ?? 0
    }

    /// Items completed since the last call.
    func completed() -> [UInt64] {
        log.completions.withLock { completions in
            defer { completions = [] }
            return completions.map(\.item)
        }
    }
}

extension EnginePlayer {
    func play(at sampleTime: Int64 = .min) { source.play(at: sampleTime) }
    func pause() { source.pause() }
    func pauseAtOnce() { source.pauseAtOnce() }
}

/// Items as `PlayerBench` documents them, times a factor.
final class NumberedItems: ItemReader {
    private let factor: Float

    init(factor: Float = 1) { self.factor = factor }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        for index in 0..<frames { room[index] = factor * PlayerBench.sample(item, frame + Int64(index)) }
        return frames
    }
}
