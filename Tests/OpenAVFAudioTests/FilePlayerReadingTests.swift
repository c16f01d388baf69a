import AudioModel
import Foundation
import HostInterface
import Synchronization
import TestAudio
import Testing

@testable import OpenAVFAudio

/// The player's reader thread, where time is real: the cycles come from the test, as fast as it likes.
@Suite struct FilePlayerReadingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Far above what a loaded machine needs: only a reader that sleeps meets it.
    private static let deadline = Duration.seconds(20)

    @Test func play_whileTheHostTakesItsTimeToStart_keepsReading() throws {
        // The reader thread finds nobody playing yet; it must not go to sleep for good.
        let played = Mutex(0)
        let host = ManualHost { stream in
            let clock = ContinuousClock()
            let deadline = clock.now + Self.deadline
            // More than is read before the reader looks up for the second time.
            while played.withLock({ $0 }) < 4 * 48_000, clock.now < deadline {
                let loud = stream.render()?.count { $0 != 0 } ?? 0
                played.withLock { $0 += loud }
            }
        }
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 5, in: directory)
        let process = try AudioProcess(host: host)
        defer { process.shutdown() }
        let player = try FilePlayer(path: path, process: process) { _ in }
        try player.play()
        #expect(played.withLock { $0 } >= 4 * 48_000)
        player.close()
    }
}
