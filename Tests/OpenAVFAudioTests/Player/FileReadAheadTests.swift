import AudioFiles
import EngineCore
import Foundation
import Synchronization
import TestAudio
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// The reading half of a file player, without a player.
@Suite struct FileReadAheadTests {
    private let directory: TemporaryDirectory
    private let playback: Playback
    private let readAhead: FileReadAhead

    init() throws {
        directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: 3, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        playback = Playback(
            sampleRate: 48_000, maximumFrames: 8192, sourceChannels: reader.info.channels, readAheadSeconds: 2)
        readAhead = FileReadAhead(reader: reader, playback: playback)
    }

    @Test func rate_switchedOnAndOff_isAMatterOfTheNextFill() {
        let longest = playback.readAheadFrames
        for _ in 0..<2 {
            readAhead.rate = 1.5
            _ = readAhead.fill()
            #expect(playback.readAheadFrames < longest)
            readAhead.rate = nil
            _ = readAhead.fill()
            #expect(playback.readAheadFrames == longest)
        }
    }

    /// Wherever the switch meets the seek: before it, in its midst or after it.
    @Test func rate_switchedWhileASeekIsCarriedOut_isNotLost() {
        let longest = playback.readAheadFrames
        let isOver = Atomic(false)
        let hasEnded = Latch()
        Thread.detachNewThread { [readAhead] in
            while !isOver.load(ordering: .relaxed) { _ = readAhead.fill() }
            hasEnded.raise()
        }
        for round in 0..<300 {
            // For each round: on a busy machine, or under a sanitizer, all of them take longer.
            let deadline = ContinuousClock.now + .seconds(20)
            readAhead.seek(toFrame: Int64(1000 + round))
            readAhead.rate = 1.5
            for _ in 0..<(round % 50) { sched_yield() }
            readAhead.rate = nil
            while readAhead.seekTarget != nil || playback.readAheadFrames != longest, ContinuousClock.now < deadline {
                sched_yield()
            }
            if ContinuousClock.now >= deadline { break }
        }
        #expect(playback.readAheadFrames == longest)
        isOver.store(true, ordering: .relaxed)
        #expect(hasEnded.wait(timeoutSeconds: 20))
    }
}
