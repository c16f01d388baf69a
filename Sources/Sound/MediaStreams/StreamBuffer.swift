internal import AudioFiles
import Foundation
internal import Threading

/// Decodes a sound from a network ahead, on a thread of its own, so that its readers wait for no server.
///
/// Its memory is bounded, whatever the server sends: the frames of `aheadSeconds`, and those of some seconds before, so that
/// a short way back needs no server either.
///
/// Any thread; no call waits. The thread starts with the first read or `start`.
package final class StreamBuffer: SoundStream, @unchecked Sendable {
    // @unchecked: `room` is touched only while `state` is locked, `sound` only by the thread, but for its constants.

    package struct Status: Hashable, Sendable {
        /// The frames that are at hand.
        package var range: Range<Int64>
        /// The next frame that is read; in `range`, unless it was sought and has not come yet.
        package var position: Int64
        /// Too little is at hand to go on.
        package var isWaiting: Bool
        /// As much is at hand as may be, or all to the end.
        package var isFull: Bool
    }

    /// Where a seek can go.
    package enum Reach: Sendable {
        case anywhere
        /// On, by reading up to there; back as far as the sound is at hand.
        case forward
        /// Where the sound is at hand: a radio station has a present only.
        case nowhere
    }

    private enum Phase {
        /// Legal exits: running, closed.
        case idle
        /// Legal exits: closed.
        case running
        case closed
    }

    private enum Ending {
        case complete
        case failed(AudioFileError)
    }

    private struct State {
        var phase = Phase.idle
        /// Of the frames in `room`.
        var start: Int64 = 0
        var end: Int64 = 0
        /// The next frame that is read; after `end` where the thread reads up to it.
        var next: Int64 = 0
        /// After `end`; nil while more may come.
        var ending: Ending?
        /// Where the thread is to go.
        var seek: Int64?
        /// Counts the jumps: frames that were decoded for an older place are dropped.
        var generation = 0
        var isWaiting = true
        /// Frames at hand that end a wait.
        var refillFrames: Int64
        /// Frames at the last call of `onChange`.
        var toldFrames: Int64 = 0
        var onChange: (@Sendable () -> Void)?
        /// Of a station: the newest ones.
        var titles: [StationTitle] = []
        var titleCount: UInt64 = 0

        /// The next frame to come, and to be read, is this one.
        mutating func empty(at frame: Int64) { (start, next, end, toldFrames) = (frame, frame, frame, frame) }

        var mustWait: Bool { ending == nil && end - next < (isWaiting ? refillFrames : 1) }

        /// The thread has something to do, or is to end.
        func needsThread(aheadFrames: Int64) -> Bool {
            if case .closed = phase { return true }
            return seek != nil || ending == nil && end - next < aheadFrames
        }
    }

    package let sampleRate: Double
    package let reach: Reach
    package let traffic: StreamTraffic
    private let channels: Int
    private let frameCount: Int64?
    private let aheadFrames: Int64
    private let capacityFrames: Int64
    private let sound: LibavFile
    private let source: SoundSource
    private let cancellation: Cancellation
    private let state: Monitor<State>
    private let room: UnsafeMutableBufferPointer<Float>

    private static let chunkFrames = 4096
    /// What is kept for the way back: more than a player reads ahead.
    private static let historySeconds = 2.0
    /// At hand before it begins, and after it ran dry for the first time; twice as much each further time.
    private static let refillSeconds = 1.0
    package static let usualAheadSeconds = 10.0
    /// More than change while a buffer is played.
    private static let mostTitles = 64
    /// Samples: 16 MB.
    private static let mostSamples = 1 << 22

    /// - Parameters:
    ///   - sound: just opened, and used by nothing else from now on.
    ///   - cancellation: of its waits for the server.
    init(_ sound: OpenedStream, aheadSeconds: Double, cancellation: Cancellation) {
        (self.sound, source, reach) = (sound.sound, sound.source, sound.reach)
        let sound = sound.sound
        traffic = source.traffic
        self.cancellation = cancellation
        sampleRate = Double(sound.sampleRate)
        channels = sound.channelCount
        frameCount = sound.frameCount
        let history = Int64(Self.historySeconds * sampleRate)
        let most = max(Int64(Self.mostSamples / sound.channelCount) - history, Int64(2 * Self.chunkFrames))
        // An app may ask for more than any number of frames.
        aheadFrames = Int64(min(max(2, aheadSeconds) * sampleRate, Double(most)))
        capacityFrames = aheadFrames + history + Int64(Self.chunkFrames)
        state = Monitor(State(refillFrames: min(Int64(Self.refillSeconds * sampleRate), aheadFrames / 2)))
        // Memory that nothing was written to takes none.
        room = .allocate(capacity: Int(capacityFrames) * channels)
    }

    deinit { room.deallocate() }

    // MARK: Any thread

    package var isLive: Bool { reach == .nowhere }

    package var status: Status {
        state.withLock { state in
            Status(
                range: state.start..<state.end, position: state.next, isWaiting: state.mustWait,
                isFull: state.ending != nil || state.end - state.next >= aheadFrames)
        }
    }

    /// What a station has called its sound, in the order of the frames; the newest 64.
    package var titles: [StationTitle] { state.withLock { $0.titles } }

    package func start() { state.withLock { startThread(&$0) } }

    /// What is at hand now is enough to go on.
    package func endWait() {
        state.withLock { if $0.end > $0.next { $0.isWaiting = false } }
    }

    package func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = body } }

    /// The thread ends soon, and its wait for the server at once.
    func close() {
        state.update { state in
            state.phase = .closed
            state.onChange = nil
            cancellation.cancel()
        }
    }

    // MARK: The reader

    var position: Int64 { state.withLock { $0.next } }

    /// - Returns: 0 at the end, and while it waits.
    func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        try state.update { (state) throws(AudioFileError) in
            startThread(&state)
            guard !state.mustWait else {
                if !state.isWaiting {
                    state.isWaiting = true
                    state.refillFrames = min(2 * state.refillFrames, aheadFrames / 2)
                }
                return 0
            }
            state.isWaiting = false
            let count = min(state.end - state.next, Int64(output.count / channels))
            if count == 0, case .failed(let error)? = state.ending { throw error }
            copy(count, from: state.next) { at, samples, done in
                output.baseAddress?.advanced(by: done).update(from: room.baseAddress! + at, count: samples)
            }
            state.next += count
            return Int(count)
        }
    }

    /// Whether the last read gave nothing because the sound has not come yet.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// Goes to a frame, at the latest when the server answers; to the nearest one where it cannot go there.
    func seek(to frame: Int64) {
        state.update { state in
            let frame = min(frame, frameCount ?? .max)
            if state.seek == nil, (state.start...state.end).contains(frame) {
                state.next = frame
            } else {
                switch reach {
                case .nowhere,
                    .forward where state.ending != nil:
                    state.next = min(max(frame, state.start), state.end)
                case .forward:
                    state.isWaiting = frame > state.end
                    state.next = max(frame, state.start)
                case .anywhere:
                    jump(to: frame, &state)
                    if frame == frameCount { state.ending = .complete } else { state.seek = frame }
                }
            }
        }
    }

    private func jump(to frame: Int64, _ state: inout State) {
        state.empty(at: frame)
        state.ending = nil
        state.seek = nil
        state.isWaiting = true
        state.generation += 1
        cancellation.interrupt()
    }

    /// Calls a body for each contiguous piece of so many frames: at a sample of `room`, so many samples, after so many.
    private func copy(
        _ frames: Int64, from first: Int64, _ body: (_ at: Int, _ samples: Int, _ done: Int) -> Void
    ) {
        var done: Int64 = 0
        while done < frames {
            let at = (first + done) % capacityFrames
            let count = min(frames - done, capacityFrames - at)
            body(Int(at) * channels, Int(count) * channels, Int(done) * channels)
            done += count
        }
    }

    // MARK: The thread

    private func startThread(_ state: inout State) {
        guard case .idle = state.phase else { return }
        state.phase = .running
        let thread = Thread { [self] in run() }
        thread.name = "oav-stream"
        thread.start()
    }

    private func run() {
        var scratch = [Float](repeating: 0, count: Self.chunkFrames * channels)
        while let (seek, generation) = nextWork() {
            do throws(AudioFileError) {
                if let seek {
                    try sound.seek(to: seek)
                    arrived(sound.position, generation)
                } else {
                    let got = try scratch.withUnsafeMutableBufferPointer { (scratch) throws(AudioFileError) in
                        try sound.read(into: scratch)
                    }
                    if let title = source.takeTitle() { note(title) }
                    append(scratch, frames: got, generation)
                }
            } catch {
                end(.failed(error), generation)
            }
        }
    }

    /// Waits until something is to be done; nil: no more.
    private func nextWork() -> (seek: Int64?, generation: Int)? {
        state.wait(while: { !$0.needsThread(aheadFrames: aheadFrames) }) { state in
            if case .closed = state.phase { return nil }
            if let seek = state.seek {
                state.seek = nil
                cancellation.resume()
                return (seek, state.generation)
            }
            return (nil, state.generation)
        }
    }

    /// The frames that come next are of a title.
    private func note(_ text: String) {
        state.withLock { state in
            guard state.titles.last?.text != text else { return }
            state.titleCount += 1
            state.titles.append(StationTitle(number: state.titleCount, frame: state.end, text: text))
            if state.titles.count > Self.mostTitles { state.titles.removeFirst() }
        }
    }

    private func arrived(_ frame: Int64, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.empty(at: frame)
        }
    }

    private func append(_ samples: [Float], frames: Int, _ generation: Int) {
        guard frames > 0 else { return end(.complete, generation) }
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.generation == generation else { return nil }
            let wasEnough = state.end - state.next >= state.refillFrames
            samples.withUnsafeBufferPointer { samples in
                copy(Int64(frames), from: state.end) { at, count, done in
                    (room.baseAddress! + at).update(from: samples.baseAddress! + done, count: count)
                }
            }
            state.end += Int64(frames)
            state.start = max(state.start, state.end - capacityFrames)
            let isEnough = state.end - state.next >= state.refillFrames
            let isSecond = state.end - state.toldFrames >= Int64(sampleRate)
            guard isSecond || isEnough != wasEnough || state.end - state.next >= aheadFrames else { return nil }
            state.toldFrames = state.end
            return state.onChange
        }
        tell?()
    }

    private func end(_ ending: Ending, _ generation: Int) {
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            // What a seek interrupted is no end.
            guard state.generation == generation else { return nil }
            state.ending = ending
            state.next = min(state.next, state.end)
            return state.onChange
        }
        tell?()
    }
}

/// A sound from a network, as its buffer has it.
final class BufferedSound: SoundDecoder {
    let path: String
    let type: AudioFileType
    let sampleRate: Int
    let channelCount: Int
    let frameCount: Int64?
    let isFrameCountExact: Bool

    private let buffer: StreamBuffer
    private let description: AudioFileInfo

    /// - Parameter opened: just opened, and used by nothing else from now on.
    init(_ opened: OpenedStream, aheadSeconds: Double, cancellation: Cancellation) {
        let sound = opened.sound
        path = sound.path
        type = sound.type
        sampleRate = sound.sampleRate
        channelCount = sound.channelCount
        frameCount = sound.frameCount
        isFrameCountExact = sound.isFrameCountExact
        description = sound.info(frameCount: sound.frameCount ?? 0)
        buffer = StreamBuffer(opened, aheadSeconds: aheadSeconds, cancellation: cancellation)
    }

    deinit { buffer.close() }

    var stream: (any SoundStream)? { buffer }
    var position: Int64 { buffer.position }
    var isWaiting: Bool { buffer.isWaiting }

    func info(frameCount: Int64) -> AudioFileInfo {
        var info = description
        info.frameCount = frameCount
        return info
    }

    func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        try buffer.read(into: output)
    }

    func seek(to frame: Int64) throws(AudioFileError) { buffer.seek(to: frame) }
}
