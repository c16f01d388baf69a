import Testing

@testable import AudioFiles

/// A sound that grows while it is read.
@Suite struct GrowingSoundTests {
    private func read(_ reader: AudioFileReader, frames: Int) throws -> [Float] {
        var block = [Float](repeating: .nan, count: frames)
        let count = try block.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
        return Array(block[..<count])
    }

    @Test func reader_waitsForMore_andMeetsTheEndThatIsSet() throws {
        let sound = GrowingSound(name: "speech", sampleRate: 100)
        let reader = try AudioFileReader(sound, outputSampleRate: nil)
        #expect(try read(reader, frames: 4).isEmpty && reader.isWaiting)
        sound.append([1, 2, 3])
        sound.appendSilence(frames: 2)
        sound.append([4])
        #expect(try read(reader, frames: 4) == [1, 2, 3, 0])
        #expect(try read(reader, frames: 4) == [0, 4] && reader.isWaiting)
        #expect(sound.frameCount == 6 && reader.position == 6)
        // The end that no reader has met yet can be taken back.
        #expect(sound.setLast(true) && sound.setLast(false))
        #expect(try read(reader, frames: 4).isEmpty && reader.isWaiting)
        sound.setLast(true)
        #expect(try read(reader, frames: 4).isEmpty && !reader.isWaiting)
        #expect(!sound.setLast(false))
        try reader.seek(toFrame: 2)
        #expect(try read(reader, frames: 9) == [3, 0, 0, 4])
    }

    @Test func whatIsFarBehind_isForgotten() throws {
        let sound = GrowingSound(name: "speech", sampleRate: 100)
        let reader = try AudioFileReader(sound, outputSampleRate: nil)
        sound.append(Array(repeating: 1, count: 100))
        sound.append(Array(repeating: 2, count: 7_000))
        #expect(try read(reader, frames: 7_100).last == 2)
        #expect(try read(reader, frames: 1).isEmpty)
        try reader.seek(toFrame: 99)
        #expect(try read(reader, frames: 2) == [0, 2])
    }
}
