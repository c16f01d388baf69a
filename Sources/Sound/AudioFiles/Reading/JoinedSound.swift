/// A file of several sounds one after the other, as one sound of the first one's rate and channels: chained Ogg, joined MP3.
///
/// One thread at a time. One of the sounds is open at a time.
final class JoinedSound: ExactSoundDecoder {
    let path: String
    let type: AudioFileType
    let sampleRate: Int
    let channelCount: Int
    let frameCount: Int64?
    let isFrameCountExact = true
    private(set) var position: Int64 = 0

    private let file: RegularFile
    private let firstInfo: AudioFileInfo
    private let parts: [Part]
    /// Why there is no sound behind the last part, where there should be.
    private let fault: AudioFileError?
    private var current: (index: Int, sound: Sound)
    private var floats: [Float] = []

    private struct Part {
        /// Of the file's bytes.
        let bytes: Range<Int64>
        /// Of the whole.
        let frames: Range<Int64>
    }

    /// One of the sounds, at the rate of the whole.
    private enum Sound {
        case same(any ExactSoundDecoder)
        case converted(AudioFileReader)

        var channelCount: Int {
            switch self {
            case .same(let sound): sound.channelCount
            case .converted(let reader): reader.info.channels.count
            }
        }
    }

    /// - Parameter ranges: the bytes of each sound.
    /// - Throws: `AudioFileError` where one of them cannot be opened.
    init(_ file: consuming RegularFile, _ ranges: [Range<Int64>], path: String) throws(AudioFileError) {
        self.path = path
        let first = try Self.openPart(of: file, ranges[0], path: path)
        (sampleRate, channelCount, type) = (first.sampleRate, first.channelCount, first.type)
        firstInfo = first.info(frameCount: 0)
        var (parts, end, fault): ([Part], Int64, AudioFileError?) = ([], 0, nil)
        for (index, bytes) in ranges.enumerated() {
            do throws(AudioFileError) {
                let sound = try Self.open(
                    index == 0 ? first : Self.openPart(of: file, bytes, path: path), sampleRate: sampleRate)
                let count = try Self.length(of: sound)
                guard end + count <= SoundFile.longest else { break }
                if count > 0 { parts.append(Part(bytes: bytes, frames: end..<end + count)) }
                end += count
            } catch {
                // A recording of a station breaks off anywhere.
                fault = AudioFileError(
                    .truncated,
                    "\(path.quoted) is damaged or incomplete: part \(index + 1) of its \(ranges.count) parts cannot be "
                        + "decoded. Get a good copy.")
                break
            }
        }
        if parts.isEmpty, let fault { throw fault }
        (self.parts, self.fault) = (parts, fault)
        self.file = file
        frameCount = end
        current = (0, .same(first))
        guard !parts.isEmpty else { return }
        try open(0)
        try go(to: 0)
    }

    private static func openPart(
        of file: borrowing RegularFile, _ bytes: Range<Int64>, path: String
    ) throws(AudioFileError) -> any ExactSoundDecoder {
        try SoundOpening.openPart(file.part(bytes, path: path), path: path)
    }

    private static func open(
        _ sound: any ExactSoundDecoder, sampleRate: Int
    ) throws(AudioFileError) -> Sound {
        sound.sampleRate == sampleRate
            ? .same(sound) : .converted(try AudioFileReader(decoder: sound, outputSampleRate: Double(sampleRate)))
    }

    /// In frames of the whole; only decoding finds it where the sound does not say it exactly.
    private static func length(of sound: Sound) throws(AudioFileError) -> Int64 {
        switch sound {
        case .same(let sound): return try sound.countFrames()
        case .converted(let reader):
            if reader.isLengthExact, let count = reader.outputFrameCount { return count }
            try reader.seek(toFrame: SoundFile.longest)
            return reader.position
        }
    }

    func info(frameCount: Int64) -> AudioFileInfo {
        var info = firstInfo
        info.frameCount = frameCount
        return info
    }

    func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        try fill(output) { (sound, room) throws(AudioFileError) in
            switch sound {
            case .same(let sound): try sound.read(into: room)
            case .converted(let reader): try reader.read(into: room)
            }
        }
    }

    func read(into output: UnsafeMutableBufferPointer<Double>) throws(AudioFileError) -> Int {
        try fill(output) { (sound, room) throws(AudioFileError) in
            switch sound {
            case .same(let sound): return try sound.read(into: room)
            case .converted(let reader):
                if floats.count < room.count { floats = [Float](repeating: 0, count: room.count) }
                var got = 0
                try floats.withUnsafeMutableBufferPointer { (floats) throws(AudioFileError) in
                    got = try reader.read(into: UnsafeMutableBufferPointer(rebasing: floats[..<room.count]))
                    for index in 0..<got * reader.info.channels.count { room[index] = Double(floats[index]) }
                }
                return got
            }
        }
    }

    /// Fills what one read of the current sound gives.
    private func fill<Sample: BinaryFloatingPoint>(
        _ output: UnsafeMutableBufferPointer<Sample>,
        _ read: (Sound, UnsafeMutableBufferPointer<Sample>) throws(AudioFileError) -> Int
    ) throws(AudioFileError) -> Int {
        guard output.count >= channelCount else { return 0 }
        while current.index < parts.count {
            let part = parts[current.index]
            let left = part.frames.upperBound - position
            guard left > 0 else {
                guard current.index + 1 < parts.count else {
                    if let fault { throw fault }
                    return 0
                }
                try open(current.index + 1)
                continue
            }
            let channels = current.sound.channelCount
            let frames = Int(min(left, Int64(output.count / max(channels, channelCount))))
            // More channels than the whole has need more room than one call may have.
            guard frames > 0 else { return try fillFrame(output, read) }
            let room = UnsafeMutableBufferPointer(rebasing: output[..<(frames * channels)])
            var got = try read(current.sound, room)
            if got == 0 {
                // A converter's last frames, and a decoder's.
                guard left <= Self.tolerance else { throw missing() }
                got = frames
                room.update(repeating: 0)
            }
            position += Int64(got)
            mix(output, frames: got, from: channels)
            return got
        }
        return 0
    }

    private func fillFrame<Sample: BinaryFloatingPoint>(
        _ output: UnsafeMutableBufferPointer<Sample>,
        _ read: (Sound, UnsafeMutableBufferPointer<Sample>) throws(AudioFileError) -> Int
    ) throws(AudioFileError) -> Int {
        var frame = [Sample](repeating: 0, count: current.sound.channelCount)
        try frame.withUnsafeMutableBufferPointer { (frame) throws(AudioFileError) in
            _ = try read(current.sound, frame)
            mix(frame, frames: 1, from: frame.count)
            for channel in 0..<channelCount { output[channel] = frame[channel] }
        }
        position += 1
        return 1
    }

    private static let tolerance: Int64 = 4096

    private func missing() -> AudioFileError {
        AudioFileError(
            .truncated,
            "\(path.quoted) is damaged or incomplete: part \(current.index + 1) of its \(parts.count) parts ends early. "
                + "Get a good copy.")
    }

    /// One channel is heard on all sides, as a file of one is; of more channels each goes to the one of its number.
    private func mix<Sample: BinaryFloatingPoint>(
        _ samples: UnsafeMutableBufferPointer<Sample>, frames: Int, from channels: Int
    ) {
        guard channels != channelCount else { return }
        // In place: from the last frame on where it grows.
        let isGrowing = channels < channelCount
        for step in 0..<frames {
            let frame = isGrowing ? frames - 1 - step : step
            let (source, target) = (frame * channels, frame * channelCount)
            if channelCount == 1 {
                samples[target] = (0..<channels).reduce(0) { $0 + samples[source + $1] } / Sample(channels)
                continue
            }
            let single = samples[source]
            guard isGrowing else {
                for channel in 0..<channelCount { samples[target + channel] = samples[source + channel] }
                continue
            }
            for channel in (0..<channelCount).reversed() {
                samples[target + channel] =
                    channel < channels ? samples[source + channel] : channels == 1 && channel < 2 ? single : 0
            }
        }
    }

    func seek(to frame: Int64) throws(AudioFileError) {
        let (index, before) = (current.index, position)
        do throws(AudioFileError) {
            try go(to: frame)
        } catch {
            position = before
            if current.index != index { try open(index) }
            try go(to: before)
            throw error
        }
    }

    private func go(to frame: Int64) throws(AudioFileError) {
        let target = min(max(0, frame), frameCount ?? 0)
        guard let index = parts.firstIndex(where: { target < $0.frames.upperBound }) ?? parts.indices.last else {
            return
        }
        if index != current.index { try open(index) }
        let local = target - parts[index].frames.lowerBound
        switch current.sound {
        case .same(let sound): try sound.seek(to: local)
        case .converted(let reader): try reader.seek(toFrame: local)
        }
        position = target
    }

    private func open(_ index: Int) throws(AudioFileError) {
        let sound = try Self.openPart(of: file, parts[index].bytes, path: path)
        current = (index, try Self.open(sound, sampleRate: sampleRate))
    }
}
