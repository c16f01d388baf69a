import AudioModel
import Foundation
import HostInterface
import RuntimeTestSupport
import Synchronization
import TestAudio
import Testing
import Threading

@testable import AudioRuntime
@testable import SessionRuntime

/// The player's reader thread, where time is real: the cycles come from the test, as fast as it likes.
@Suite struct FilePlayerReadingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Far above what a loaded machine needs: only a reader that sleeps meets it.
    private static let deadline = Duration.seconds(20)

    @Test func play_whileTheHostTakesItsTimeToStart_keepsReading() throws {
        // The reader thread finds no player playing yet; it must not go to sleep for good.
        let played = Mutex(0)
        let host = ManualHost { stream in
            // More than is read before the reader looks up for the second time.
            let loud = stream.renderUntilLoud(frames: 4 * 48_000)
            played.withLock { $0 += loud }
        }
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: path, runtime: runtime) { _ in }
        try player.play()
        #expect(played.withLock { $0 } >= 4 * 48_000)
        player.close()
    }

    /// The reader once went to rest when it had filled its buffer before the player said that it plays: then a file
    /// fell silent after 65 536 frames.
    @Test func play_whileTheStreamStartsSlowly_goesOnReading() throws {
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 10, in: directory)
        let played = Mutex(0)
        let host = ManualHost { stream in
            let loud = stream.renderUntilLoud(frames: 3 * 65_536)
            played.withLock { $0 += loud }
        }
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: path, runtime: runtime) { _ in }
        try player.play()
        #expect(played.withLock { $0 } >= 3 * 65_536)
        player.close()
    }

    /// The glide is over before the player starts: not even its first frames may have the volume from before.
    @Test func play_afterAGlideThatPassedInSilence_beginsAtItsEnd() throws {
        let players = Mutex<FilePlayer?>(nil)
        let loud = Mutex(0)
        let host = ManualHost { stream in
            let clock = ContinuousClock()
            let deadline = clock.now + Self.deadline
            while let player = players.withLock({ $0 }), player.status.position < 0.5, clock.now < deadline {
                let count = stream.render()?.count { $0 != 0 } ?? 0
                loud.withLock { $0 += count }
            }
        }
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: path, runtime: runtime) { _ in }
        players.withLock { $0 = player }
        player.setVolume(0, overSeconds: 0.001)
        let over = host.now().advanced(bySeconds: 0.002)
        while host.now() < over { sched_yield() }
        #expect(player.volume == 0)
        try player.play()
        #expect(player.status.position >= 0.5)
        #expect(loud.withLock { $0 } == 0)
        players.withLock { $0 = nil }
        player.close()
    }

    @Test func close_duringTheFadeOfAPause_letsItEnd() throws {
        // `close` waits for 0.2 s and no longer: a fade that the machine has not rendered by then breaks off rightly.
        for _ in 1...5 {
            let (last, patience) = try Self.closeDuringAFade(in: directory)
            if patience >= .milliseconds(200) { continue }
            // The last four steps of a fade of 240 are below 0.5 × 4 / 240; without one, four frames of the tone are not.
            #expect(last.allSatisfy { abs($0) < 0.01 }, "the sound broke off after \(patience): \(last)")
            return
        }
        Issue.record("close waited for 0.2 s in each of five rounds")
    }

    /// - Returns: the last four samples that were rendered, and how long `close` took.
    private static func closeDuringAFade(in directory: TemporaryDirectory) throws -> (last: [Float], patience: Duration)
    {
        let host = ManualHost()
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: path, runtime: runtime) { _ in }
        try player.play()
        let stream = try #require(host.streams.first)
        #expect(stream.renderUntilLoud(frames: 4800) >= 4800)
        let heard = Mutex<[Float]>([])
        let isOver = Latch()
        Thread.detachNewThread {
            while let samples = stream.render(frames: 1) { heard.withLock { $0 += samples } }
            isOver.raise()
        }
        player.pause()
        let patience = ContinuousClock().measure { player.close() }
        #expect(isOver.wait(timeoutSeconds: 20))
        return (heard.withLock { $0 }.suffix(4), patience)
    }

    @Test func play_withoutCyclesBetween_neverLosesTheReader() throws {
        let host = ManualHost()
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
        let runtime = try SessionRuntime(host: host)
        defer { runtime.shutdown() }
        let player = try FilePlayer(path: path, runtime: runtime) { _ in }
        // The reader falls asleep and wakes up many times; each time it must find its way back.
        for round in 0..<200 {
            try player.play()
            player.pause()
            if round.isMultiple(of: 3) { player.seek(toSeconds: Double(round) / 100) }
        }
        player.seek(toSeconds: 1)
        try player.play()
        #expect(try #require(host.streams.first).renderUntilLoud(frames: 3 * 48_000) >= 3 * 48_000)
        player.close()
    }

    /// In a process of its own: the counts are the whole process'.
    @Test func hundredPlayers_openedAndClosed_leaveNoThreadDescriptorOrMemoryBehind() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
            let host = ManualHost()
            let runtime = try SessionRuntime(host: host)
            func openPlayAndClose() throws {
                let player = try FilePlayer(path: path, runtime: runtime) { _ in }
                try player.play()
                #expect(try #require(host.streams.last).renderUntilLoud(frames: 480) >= 480)
                player.pause()
                player.close()
                host.forgetStreams()
            }
            // What is made once, and what the allocator keeps for the next player.
            for _ in 0..<10 { try openPlayAndClose() }
            let before = ProcessFigures()
            for _ in 0..<100 { try openPlayAndClose() }
            // A reader thread ends by itself, soon after `close`, and with it the file that it reads.
            let deadline = ContinuousClock.now + .seconds(20)
            var after = ProcessFigures()
            while after.threads > before.threads || after.descriptors > before.descriptors,
                ContinuousClock.now < deadline
            {
                sched_yield()
                after = ProcessFigures()
            }
            #expect(after.threads <= before.threads, "threads: \(before.threads), then \(after.threads)")
            #expect(after.descriptors <= before.descriptors)
            // A player's read-ahead alone is 1 MB: a hundred left behind could not hide in this.
            #expect(after.residentBytes < before.residentBytes + 20_000_000, "\(before) then \(after)")
            #expect(runtime.state.streams.isEmpty)
            runtime.shutdown()
            withExtendedLifetime(directory) {}
        }
    }
}

/// What this process holds now.
private struct ProcessFigures {
    let threads: Int
    let descriptors: Int
    let residentBytes: Int

    init() {
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? -1
        }
        threads = count("task")
        descriptors = count("fd")
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        residentBytes = (pages.flatMap { Int($0[1]) } ?? -1) * Int(getpagesize())
    }
}
