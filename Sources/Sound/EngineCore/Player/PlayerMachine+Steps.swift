// What the machine is told, what it asks for, and its states.
extension PlayerMachine {
    /// The state of the source and of the renderer, read together.
    struct Moment: Hashable, Sendable {
        /// The renderer's sample time of the next cycle.
        var sampleTime: Int64
        /// Frames of the last cycle; 0 before the first.
        var cycleFrames: Int
        /// The frame of the source that is rendered next.
        var position: Int64
        /// How long the source has played.
        var elapsed: Int64
        /// The number of frames that the source accepts now.
        var writableFrames: Int
    }

    /// The limits of one feeding call, in frames of the renderer.
    struct Pace: Hashable, Sendable {
        var minimumFrames: Int
        var readAheadFrames: Int
        /// The length of the last cycle, or the longest possible one before the first.
        var cycleFrames: Int
        /// True if the read-ahead is short, so that changes are heard soon.
        var isShort: Bool

        /// The wait before the next read: at a quarter of a long read-ahead the thread wakes 4 times a second, not 40.
        var restFrames: Int64 {
            Int64(isShort ? readAheadFrames / 8 : max(PlayerMachine.chunkFrames, readAheadFrames / 4))
        }
    }

    /// The state of the feeding thread's work.
    enum Work: Hashable, Sendable {
        /// Only converted frames may wait. Exits: a read -> `reading`, a flush -> `outdated`, `retire` -> `retired`.
        case ready
        /// Frames of the first item are being read. Exits: the read's outcome -> `ready`, a flush -> `outdated`.
        case reading
        /// Frames from before a flush remain. Exits: they are dropped -> `ready`, `retire` -> `retired`.
        case outdated
        /// Nothing is fed. No exit. It does not follow `reading`, because `retire` waits for a read.
        case retired
    }

    /// The result of the last read.
    enum Reading: Hashable, Sendable {
        /// The read gave frames. Exits: a read -> `waiting` or `atPassEnd`.
        case flowing
        /// The read gave nothing, because the frames have not arrived yet. Exits: a read -> `flowing` or `atPassEnd`.
        case waiting
        /// The read gave nothing: the pass has ended. Exits: the next pass is decided, or a flush -> `flowing`.
        case atPassEnd
    }

    /// Whether the converter holds frames; each flush leads to `empty`.
    enum Conversion: Hashable, Sendable {
        /// It holds no frames. Exit: the next frames -> `streaming`.
        case empty
        /// It holds frames. Exit: no frames follow in time, or a hold follows -> `draining`.
        case streaming
        /// It gives its remaining frames and takes no new ones. Exit: everything is out -> `empty`.
        case draining
    }

    /// A command for the source that is carried out at once, before any other access to it.
    enum SourceCommand: Hashable, Sendable {
        case flush(toFrame: Int64, keepsClock: Bool)
        case truncate(toFrame: Int64)
    }

    enum Step: Hashable, Sendable {
        case source(SourceStep)
        case feed(FeedStep)
    }

    /// A step that is carried out before the next call of the machine from any thread.
    enum SourceStep: Hashable, Sendable {
        /// Write the waiting frames, then call `noteWritten`.
        case writePending
        /// Set a hold, and call `noteHold` if the source accepts it.
        case hold(untilElapsed: Int64)
        case markEnd
    }

    /// A step of the feeding thread; other threads may call the machine meanwhile.
    enum FeedStep: Hashable, Sendable {
        /// Drop the read and converted frames, then call `noteRestart`.
        case restart
        /// Read frames, call `noteConversion` or `noteWritten` for them, then `noteRead`.
        case read(item: UInt64, from: Int64, count: Int)
        /// Get some of the frames that the converter still holds, then call `noteDrain`.
        case drain
        /// Wait until `frames` frames are rendered.
        case rest(frames: Int64)
    }

    enum ReadOutcome: Hashable, Sendable {
        /// The number of read frames, at most as many as requested.
        case frames(Int)
        /// The item's frames have not arrived yet.
        case notYet
        case failed(ItemFailure)
    }

    /// Where reading continues before anything is fed.
    enum Destination: Hashable, Sendable {
        case retired
        case here
        /// Seek to a place, then call `arrive` or `fail`.
        case place(Place)
    }

    struct Place: Hashable, Sendable {
        var item: UInt64
        var frame: Int64
        /// The generation of the seek; nil if the item is read again from its current place.
        var generation: UInt64?
    }
}
