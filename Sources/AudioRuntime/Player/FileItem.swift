import AudioFiles
import EngineCore

/// A file as the one item of a player.
///
/// `@unchecked Sendable`: only the thread that feeds the player touches the reader, one call at a time.
final class FileItem: ItemReader, @unchecked Sendable {
    private let reader: AudioFileReader

    init(_ reader: sending AudioFileReader) { self.reader = reader }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        do throws(AudioFileError) {
            // A loop begins again.
            if reader.position != frame { try reader.seek(toFrame: frame) }
            return try reader.read(into: room)
        } catch {
            throw ItemFailure(message: error.message)
        }
    }

    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 {
        do throws(AudioFileError) {
            try reader.seek(toFrame: frame)
            // Where the file's length is not known before, the reader may have met its end on the way.
            return reader.position
        } catch {
            throw ItemFailure(message: error.message)
        }
    }
}
