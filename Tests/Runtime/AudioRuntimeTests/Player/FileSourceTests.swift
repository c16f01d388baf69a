import AudioFiles
import EngineCore
import Foundation
import Synchronization
import TestAudio
import Testing
import Threading
import TimePitch

@testable import AudioRuntime

/// What a file player plays, without a stream.
@Suite struct FileSourceTests {
    private let directory: TemporaryDirectory
    private let source: FileSource

    init() throws {
        SoundTouch.register()
        directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: 3, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        let info = reader.info
        source = FileSource(SingleFile(reader) { false }, info)
    }

    private var readAheadFrames: Int { source.player.source.readAheadFrames }

    @Test func rate_switchedOnAndOff_isAMatterOfTheNextFill() {
        let longest = readAheadFrames
        for _ in 0..<2 {
            source.rate = 1.5
            source.player.feed()
            #expect(readAheadFrames < longest)
            source.rate = nil
            source.player.feed()
            #expect(readAheadFrames == longest)
        }
    }

    /// Wherever the switch meets the seek: before it, during it or after it.
    ///
    /// A switch that is lost hangs the test.
    @Test func rate_switchedWhileASeekIsCarriedOut_isNotLost() {
        let longest = readAheadFrames
        let isOver = Atomic(false)
        let hasEnded = Latch()
        Thread.detachNewThread { [source] in
            while !isOver.load(ordering: .relaxed) {
                source.player.feed()
                sched_yield()
            }
            hasEnded.raise()
        }
        for round in 0..<300 {
            source.player.seek(toFrame: Int64(1000 + round), generation: UInt64(round + 1))
            source.rate = 1.5
            for _ in 0..<(round % 50) { sched_yield() }
            source.rate = nil
            while source.player.seekGeneration != round + 1 || readAheadFrames != longest { sched_yield() }
        }
        #expect(readAheadFrames == longest)
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
    }
}
