import AudioFiles
import EngineCore
import Synchronization

/// The reading half of a file player: keeps a playback's read-ahead full, from the frame it was last sent to.
///
/// A seek only leaves word here; whoever calls `fill` carries it out. A damaged file may keep the reader busy, and the
/// session must not wait for that.
///
/// Frames of the file are at the output's rate of samples. They are the playback's as long as the file plays at its own
/// speed; while another can be set, a stretcher is between the two, and less is read ahead, so that a change is heard soon.
final class FileReadAhead: Sendable {
    private static let chunkFrames = 4096
    /// Before the end of a round the reader decides whether another follows; it may be so late.
    private static let lapSeconds = 0.25
    private static let stretchedSeconds = 0.08
    private static let stretchedChunkFrames = 1024

    private let playback: Playback
    private let longestFrames: Int
    private let channels: Int
    private let source: Mutex<Source>
    /// Where to go; nil once the reader has gone there.
    private let target = Mutex<Int64?>(nil)
    private let repetitions = Mutex(Repetitions())
    /// Of playback; nil where it can not be set.
    private let wantedRate = Mutex<Float?>(nil)
    private let places = Mutex(Places())

    /// Guarded by its mutex: the reader thread and a virtual cycle take turns.
    private struct Source: ~Copyable {
        var reader: AudioFileReader
        var scratch: [Float]
        /// The reader has come to the file's end; whether it begins again is to be decided.
        var hasReadLap = false
        /// Nothing follows.
        var isAtEnd = false
        var error: AudioFileError?
        /// Whether a rate could be set at the last seek.
        var isRated = false
        /// Nil at the file's own speed.
        var stretch: FileStretch?
        /// Stretched, interleaved, but the playback was full.
        var waiting: [Float] = []
        /// The playback's frame after the last one that was written.
        var writtenTo: Int64 = 0

        /// Reads at most so many frames; 0 at the end, and on an error, which is kept.
        mutating func read(frames: Int, channels: Int) -> Int {
            do throws(AudioFileError) {
                return try scratch.withUnsafeMutableBufferPointer { buffer throws(AudioFileError) in
                    try reader.read(into: UnsafeMutableBufferPointer(rebasing: buffer.prefix(frames * channels)))
                }
            } catch {
                self.error = error
                return 0
            }
        }
    }

    private struct Repetitions {
        /// How often it is to begin again at its end; negative: for ever.
        var left = 0
        /// Of them, how often the reader has begun again since the last seek.
        var taken = 0
    }

    /// Which frame of the file is which of the playback.
    private struct Places {
        /// Where both began after the last seek.
        var first: Int64 = 0
        var map = FrameMap(ratio: 1)
        /// From the file's beginning to its end; 0 until it has begun again.
        var lapFrames: Int64 = 0
        /// How often the reader has begun again.
        var laps: Int64 = 0
        /// The playback's frame after the last of all; nil while more may come.
        var end: Int64?
        var seeks = 0

        /// The frame of the file, and how often it begins again after it.
        func place(of frame: Int64) -> (fileFrame: Int64, lapsAhead: Int) {
            let whole = first + map.playerFrames(atRenderer: frame - first)
            guard lapFrames > 0 else { return (whole, 0) }
            let laps = min(whole / lapFrames, self.laps)
            return (whole - laps * lapFrames, Int(self.laps - laps))
        }
    }

    /// What is left to do.
    enum Progress {
        /// More could be written at once.
        case behind
        /// Nothing until so many frames have been rendered.
        case resting(frames: Int64)
    }

    init(reader: sending AudioFileReader, playback: Playback) {
        self.playback = playback
        longestFrames = playback.readAheadFrames
        channels = max(1, reader.info.channels.count)
        source = Mutex(
            Source(reader: reader, scratch: [Float](repeating: 0, count: Self.chunkFrames * channels)))
    }

    // MARK: Any thread

    /// Where a seek goes that has not been carried out yet.
    var seekTarget: Int64? { target.withLock { $0 } }

    func seek(toFrame frame: Int64) { target.withLock { $0 = frame } }

    /// How often it is to begin again at its end; negative: for ever.
    ///
    /// What has been read ahead is not called back: less than 0.25 s before the end, a new number comes too late.
    func repeatAtEnd(times: Int) { repetitions.withLock { $0 = Repetitions(left: times) } }

    /// Of playback, above 0; nil, as at first, is the file's own speed, and bit by bit.
    ///
    /// A number follows another soon. Where there is one for the first time, or none any more, what has been read ahead is
    /// read anew.
    var rate: Float? {
        get { wantedRate.withLock { $0 } }
        set { wantedRate.withLock { $0 = newValue } }
    }

    /// The frame of the file that is rendered next; where the file begins again, its end is its beginning.
    var fileFrame: Int64 { place.fileFrame }

    /// Under the lock, or a seek could come between.
    private var place: (fileFrame: Int64, lapsAhead: Int) {
        places.withLock { $0.place(of: playback.positionFrames) }
    }

    /// Whether nothing is left to render after so many frames; false where the last seek went to the end.
    func isPlayedOut(in frames: Int = 0) -> Bool {
        places.withLock { places in
            guard let end = places.end, end != places.first else { return false }
            return end <= playback.positionFrames + Int64(frames)
        }
    }

    /// How many seeks have been carried out.
    var seeks: Int { places.withLock { $0.seeks } }

    /// What ended the reading; waits for a `fill` that is under way.
    var error: AudioFileError? { source.withLock { $0.error } }

    // MARK: The reader thread, or the thread that advances virtual time

    /// Carries out the last seek and reads ahead.
    func fill() -> Progress {
        source.withLock { source in
            if let frame = seekTarget {
                go(to: frame, place.lapsAhead, &source)
                target.withLock { if $0 == frame { $0 = nil } }
            } else if (rate != nil) != source.isRated, !isPlayedOut() {
                let place = place
                go(to: place.fileFrame, place.lapsAhead, &source)
            }
            return fill(&source)
        }
    }

    /// - Parameter lapsAhead: how often what is dropped would have begun again.
    private func go(to frame: Int64, _ lapsAhead: Int, _ source: inout Source) {
        let rate = rate
        source.isRated = rate != nil
        do throws(AudioFileError) {
            try source.reader.seek(toFrame: frame)
            source.hasReadLap = false
            source.isAtEnd = false
            source.error = nil
            source.waiting = []
            beginStretching(atRate: rate, &source)
            repetitions.withLock { $0 = Repetitions(left: $0.left + min($0.taken, lapsAhead)) }
            // Where the file's length is not known before, the reader may have met its end on the way.
            source.writtenTo = source.reader.position
            places.withLock {
                playback.flush(toFrame: source.writtenTo)
                $0 = Places(
                    first: source.writtenTo, map: FrameMap(ratio: source.stretch?.ratio ?? 1), seeks: $0.seeks + 1)
            }
        } catch {
            // What was read before the seek plays to its end; then the player fails with this.
            source.error = error
            source.isAtEnd = true
        }
    }

    /// For a new place in the file.
    private func beginStretching(atRate rate: Float?, _ source: inout Source) {
        if let rate {
            if source.stretch == nil {
                source.stretch = FileStretch(sampleRate: playback.sampleRate, channels: source.reader.info.channels)
            }
            source.stretch?.begin(atRate: rate)
        } else {
            source.stretch = nil
        }
        if source.stretch == nil { playback.readAheadFrames = longestFrames }
    }

    private func fill(_ source: inout Source) -> Progress {
        if source.stretch != nil {
            // A cycle that is longer than the read-ahead would never find all its frames; the first may be as long as any.
            let cycle = playback.lastCycleFrames
            playback.readAheadFrames = max(
                frames(Self.stretchedSeconds), cycle > 0 ? cycle : FilePlayerController.maximumFrames)
        }
        // Bounded, so that events are not kept waiting behind a slow disk; in frames, or short laps would starve.
        var budget = 8 * Self.chunkFrames
        while writeWaiting(&source), !source.isAtEnd {
            if source.hasReadLap {
                let early = source.writtenTo - playback.positionFrames - Int64(frames(Self.lapSeconds))
                if early > 0 { return .resting(frames: early) }
                if !beginAgain(&source) { end(&source) }
                continue
            }
            let room = playback.writableFrames
            guard room >= (source.stretch == nil ? Self.chunkFrames : 1) else { break }
            if budget <= 0 { return .behind }
            let read = source.read(frames: chunk(fitting: room, source.stretch), channels: channels)
            budget -= read
            if read == 0 { source.hasReadLap = true } else { pass(read, &source) }
        }
        if source.isAtEnd, source.waiting.isEmpty {
            return .resting(frames: max(0, source.writtenTo - playback.positionFrames))
        }
        // A quarter at once: the thread wakes 4 times a second instead of 12.
        return .resting(frames: Int64(playback.readAheadFrames / (source.stretch == nil ? 4 : 8)))
    }

    /// Not more than fits after stretching, so that little has to wait.
    private func chunk(fitting room: Int, _ stretch: FileStretch?) -> Int {
        guard let stretch else { return Self.chunkFrames }
        return max(1, min(Self.stretchedChunkFrames, Int(Double(room) / stretch.ratio)))
    }

    /// Sends the frames on that have been read.
    private func pass(_ count: Int, _ source: inout Source) {
        if let rate, source.stretch?.setRate(rate) == true, let ratio = source.stretch?.ratio {
            places.withLock { $0.map.change(to: ratio, atRenderer: source.writtenTo - $0.first) }
        }
        let stretch = source.stretch
        let (stretched, written) = source.scratch.withUnsafeBufferPointer { scratch -> ([Float], Int) in
            let frames = UnsafeBufferPointer(rebasing: scratch.prefix(count * channels))
            if let stretch { return (stretch.convert(frames), 0) }
            return ([], playback.write(interleaved: frames))
        }
        source.waiting = stretched
        source.writtenTo += Int64(written)
    }

    /// False while the playback has no room for what waits.
    private func writeWaiting(_ source: inout Source) -> Bool {
        if !source.waiting.isEmpty {
            let written = source.waiting.withUnsafeBufferPointer { playback.write(interleaved: $0) }
            source.waiting.removeFirst(written * channels)
            source.writtenTo += Int64(written)
        }
        if source.isAtEnd, source.waiting.isEmpty {
            places.withLock { $0.end = source.writtenTo }
            playback.markEndOfStream()
        }
        return source.waiting.isEmpty
    }

    /// False where it is over: for lack of repetitions, of frames, or by an error.
    private func beginAgain(_ source: inout Source) -> Bool {
        let length = source.reader.position
        guard source.error == nil, length > 0, repetitions.withLock({ $0.left }) != 0 else { return false }
        do throws(AudioFileError) {
            try source.reader.seek(toFrame: 0)
        } catch {
            source.error = error
            return false
        }
        repetitions.withLock {
            if $0.left > 0 { ($0.left, $0.taken) = ($0.left - 1, $0.taken + 1) }
        }
        source.hasReadLap = false
        places.withLock { ($0.lapFrames, $0.laps) = (length, $0.laps + 1) }
        return true
    }

    private func end(_ source: inout Source) {
        source.isAtEnd = true
        if let stretch = source.stretch { source.waiting = stretch.drain() }
    }

    private func frames(_ seconds: Double) -> Int { Int(playback.sampleRate * seconds) }
}
