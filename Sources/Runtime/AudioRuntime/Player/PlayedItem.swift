package import AudioFiles
package import EngineCore

/// What a file player plays as one item: a file, or several without a frame between them (QueueRuntime).
///
/// Frames count from the beginning of the first file on. Any thread may call these members, unless one says otherwise; they wait
/// for no disk.
package protocol PlayedItem: ItemReader {
    /// Of its frames, in hertz.
    var sampleRate: Double { get }

    /// The file that a frame belongs to, and the frame where that file's own beginning is, or would be.
    func file(at frame: Int64) -> (info: AudioFileInfo, origin: Int64)

    /// The first frame of the next file, once it is known.
    func nextStart(after frame: Int64) -> Int64?

    /// Rendering has come to this frame.
    ///
    /// The thread that reads ahead.
    func enter(frame: Int64)

    /// Ends a file before one of its frames; nil: at its own end.
    ///
    /// - Parameter file: its number; 0 is the first one.
    /// - Returns: whether frames have been fed that are not to follow now.
    func setEnd(_ end: Int64?, of file: UInt64) -> Bool
}
