import AudioFiles
import CoreMedia
import MediaStreams

/// The open sound of an item: of a file all of it is there, of a sound from a network what has come.
///
/// Any thread; with no lock held, as it asks the buffer.
struct ItemSound: Sendable {
    let duration: CMTime
    let isSeekable: Bool
    /// Of a sound from a network.
    let traffic: StreamTraffic?
    /// Of a sound from a network, while it is open.
    private weak let buffer: StreamBuffer?

    init(_ reader: AudioFileReader) {
        duration = CMTime(durationOf: reader.info)
        let buffer = reader.streamBuffer
        (self.buffer, traffic) = (buffer, buffer?.traffic)
        isSeekable = buffer.map { $0.reach == .anywhere } ?? true
    }

    /// Nil where the length is not known.
    var wholeRange: CMTimeRange? { duration.isNumeric ? CMTimeRange(start: .zero, duration: duration) : nil }

    /// What is available now; nil before anything has come.
    var loadedRange: CMTimeRange? {
        guard let buffer else { return wholeRange }
        let range = buffer.status.range
        guard !range.isEmpty else { return nil }
        func time(_ frame: Int64) -> CMTime { CMTime(position: Double(frame) / buffer.sampleRate) }
        return CMTimeRange(start: time(range.lowerBound), end: time(range.upperBound))
    }

    /// Whether enough has come to go on.
    var isFlowing: Bool { buffer.map { !$0.status.isWaiting } ?? true }

    /// Whether all has been played that has come.
    var isEmpty: Bool {
        buffer.map { $0.status.position >= $0.status.range.upperBound && !$0.status.isFull } ?? false
    }

    /// Whether as much has come as is fetched ahead.
    var isFull: Bool { buffer?.status.isFull ?? true }

    /// Plays what has come, however little.
    func endWait() { buffer?.endWait() }
}
