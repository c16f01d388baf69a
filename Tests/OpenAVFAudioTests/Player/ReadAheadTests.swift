import AudioRuntime
import OpenAVFAudio
import TestAudio
import Testing

/// The reader thread keeps up with a stream from its first frame on.
struct ReadAheadTests {
    /// The reader once went to rest when it had filled its buffer before the player said that it plays: then a file
    /// fell silent after 65 536 frames.
    @Test func play_whileTheStreamStartsSlowly_goesOnReading() throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 10, in: directory)
            let host = HastyHost(framesAtStart: 3 * 65_536)
            let runtime = try SessionRuntime(host: host)
            defer { runtime.shutdown() }
            let player = try FilePlayer(path: path, runtime: runtime) { _ in }
            try player.play()
            #expect(host.heardFrames >= 3 * 65_536)
            player.close()
        }
    }
}
