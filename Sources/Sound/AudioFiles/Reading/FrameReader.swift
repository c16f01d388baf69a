/// Reads a sound file's own frames, at its own rate and from any place, as interleaved Float64 of nominal ±1.
///
/// Float64 holds every sample of up to 32 bits and of 32 or 64-bit floats exactly: what comes out is what is in the file.
/// `AudioFileReader` is the one for playing: it converts rates, and keeps values off that would harm a filter.
///
/// One thread at a time; reading waits for the disk. The type is not Sendable: send the whole reader.
package final class FrameReader {
    package let info: AudioFileInfo
    package let type: AudioFileType

    private let sound: any ExactSoundDecoder

    /// - Throws: `AudioFileError` when there is no such file, or nothing in it that can be read.
    package init(path: String) throws(AudioFileError) {
        let sound = try SoundOpening.open(path: path)
        let frameCount = try sound.countFrames()
        if sound.position > 0 { try sound.seek(to: 0) }
        self.sound = sound
        type = sound.type
        info = sound.info(frameCount: frameCount)
    }

    /// The next frame that `read` gives.
    package var position: Int64 { sound.position }

    /// Fills what it can of `output` with whole frames.
    ///
    /// - Returns: the frames read; less than fit only before an end, 0 at the end.
    /// - Throws: `truncated` at the end of an incomplete file, `readFailed` where it cannot be read on.
    package func read(into output: UnsafeMutableBufferPointer<Double>) throws(AudioFileError) -> Int {
        try sound.read(into: output)
    }

    /// Moves to a frame, at most the last one's successor.
    ///
    /// - Throws: `truncated` or `readFailed` when the file is not good up to there; the position is then unchanged.
    package func seek(toFrame frame: Int64) throws(AudioFileError) {
        try sound.seek(to: min(max(0, frame), info.frameCount))
    }
}
