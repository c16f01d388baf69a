internal import AudioModel
internal import Synchronization

/// A sound of one channel that grows while it is read: speech, whose later sentences are made while the first one sounds.
///
/// Any thread. What was read more than a minute before the newest read is forgotten, and silent after a seek there.
package final class GrowingSound: Sendable {
    let name: String
    /// In hertz.
    package let sampleRate: Int
    private let state = Mutex(State())

    private struct State {
        var parts: [Part] = []
        var frameCount: Int64 = 0
        /// No more is to come, as far as is known: who reads on meets the end.
        var isLast = false
        /// A reader has met the end: no more can follow.
        var isEnded = false
    }

    private struct Part {
        let frames: Range<Int64>
        /// Empty for silence.
        let samples: [Float]
    }

    private static let keptSeconds: Int64 = 60

    package init(name: String, sampleRate: Int) {
        self.name = name
        self.sampleRate = sampleRate
    }

    package var frameCount: Int64 { state.withLock { $0.frameCount } }

    package func append(_ samples: [Float]) { append(Int64(samples.count), samples) }

    package func appendSilence(frames: Int64) { append(frames, []) }

    private func append(_ frames: Int64, _ samples: [Float]) {
        guard frames > 0 else { return }
        state.withLock { state in
            state.parts.append(Part(frames: state.frameCount..<state.frameCount + frames, samples: samples))
            state.frameCount += frames
        }
    }

    /// - Parameter isLast: a reader that has read everything is at the end; otherwise it waits for more.
    /// - Returns: false where a reader has met the end already: what is appended is not heard.
    @discardableResult
    package func setLast(_ isLast: Bool) -> Bool {
        state.withLock { state in
            state.isLast = isLast
            return !state.isEnded
        }
    }

    /// A reader has met the end.
    package var isEnded: Bool { state.withLock { $0.isEnded } }

    fileprivate func read(from frame: Int64, into output: UnsafeMutableBufferPointer<Float>) -> Int {
        state.withLock { state in
            let kept = frame - Self.keptSeconds * Int64(sampleRate)
            if let first = state.parts.firstIndex(where: { $0.frames.upperBound > kept }) {
                state.parts.removeFirst(first)
            }
            let end = min(frame + Int64(output.count), state.frameCount)
            guard frame < end else {
                if state.isLast { state.isEnded = true }
                return 0
            }
            output.update(repeating: 0)
            for part in state.parts where !part.samples.isEmpty && part.frames.overlaps(frame..<end) {
                let wanted = part.frames.clamped(to: frame..<end)
                for place in wanted {
                    output[Int(place - frame)] = part.samples[Int(place - part.frames.lowerBound)]
                }
            }
            return Int(end - frame)
        }
    }
}

extension AudioFileReader {
    /// Reads a sound that grows, from its beginning; `isWaiting` where more is to come.
    package convenience init(_ sound: GrowingSound, outputSampleRate: Double?) throws(AudioFileError) {
        try self.init(decoder: GrowingSoundDecoder(sound), outputSampleRate: outputSampleRate)
    }
}

private final class GrowingSoundDecoder: SoundDecoder {
    private let sound: GrowingSound
    private(set) var position: Int64 = 0

    init(_ sound: GrowingSound) { self.sound = sound }

    var path: String { sound.name }
    var type: AudioFileType { AudioFileType(container: .other, coding: .float(bits: 32)) }
    var sampleRate: Int { sound.sampleRate }
    var channelCount: Int { 1 }
    var frameCount: Int64? { nil }
    var isFrameCountExact: Bool { false }
    var isWaiting: Bool { !sound.isEnded }

    func info(frameCount: Int64) -> AudioFileInfo {
        AudioFileInfo(
            path: sound.name, formatName: "PCM, 32 bit float", sampleRate: Double(sampleRate),
            channels: ChannelLabel.standard(count: 1), frameCount: frameCount)
    }

    func read(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        let count = sound.read(from: position, into: output)
        position += Int64(count)
        return count
    }

    func seek(to frame: Int64) { position = min(max(0, frame), sound.frameCount) }
}
