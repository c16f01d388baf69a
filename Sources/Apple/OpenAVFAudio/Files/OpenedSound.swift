import AudioFiles
import Foundation
internal import OpenAudioSession
import SessionRuntime
import Synchronization

/// What an `AVAudioPlayer` was made of: a file or bytes, opened.
final class OpenedSound {
    let runtime: SessionRuntime
    let url: URL?
    let data: Data?
    let format: AVAudioFormat
    /// Seconds.
    let duration: Double
    /// Opened already for the first stream: a player that was only made is in no mixer's list.
    private let reader: Mutex<AudioFileReader?>
    private let open: (Double) throws(AudioFileError) -> sending AudioFileReader

    /// - Throws: `NSError` in `NSOSStatusErrorDomain`.
    convenience init(contentsOf url: URL) throws {
        let path: String
        do { path = try AudioFileTarget.path(url) } catch { throw (error as NSError).inStatusDomain }
        try self.init(url: url, data: nil) { rate throws(AudioFileError) in
            try AudioFileReader(path: path, outputSampleRate: rate)
        }
    }

    /// - Throws: as `init(contentsOf:)`.
    convenience init(data: Data) throws {
        try self.init(url: nil, data: data) { rate throws(AudioFileError) in
            try AudioFileReader(contents: [UInt8](data), name: "the data", outputSampleRate: rate)
        }
    }

    private init(
        url: URL?, data: Data?, open: @escaping (Double) throws(AudioFileError) -> sending AudioFileReader
    ) throws {
        runtime = AVAudioSession.sharedInstance().runtime
        let reader: AudioFileReader
        do throws(AudioFileError) {
            reader = try open(runtime.host.sampleRate)
        } catch {
            throw NSError.audio(error).inStatusDomain
        }
        self.url = url
        self.data = data
        format = reader.type.format(sampleRate: reader.info.sampleRate, places: reader.info.channels)
        duration = reader.info.duration
        self.reader = Mutex(reader)
        self.open = open
    }

    /// One at the beginning; opened again if the earlier one went to a stream that was refused.
    ///
    /// - Throws: what is wrong with a file that has changed since.
    func takeReader() throws(AudioFileError) -> sending AudioFileReader {
        let taken = reader.withLock { reader in
            let taken = reader
            reader = nil
            return taken
        }
        if let taken { return taken }
        return try open(runtime.host.sampleRate)
    }
}
