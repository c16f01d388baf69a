import AVFoundation
import MediaPlayer
import OpenAVFAudioTestKit
import Testing

@Suite struct MainActorHandlersTests {
    /// That this file compiles in the Swift 5 mode, where warnings are errors, is the test of the handlers it does not call.
    @Test @MainActor func handlersOfAMainActorClass_useItsMembers() async throws {
        try await AudioSimulator.run(.phone) { _ in
            let app = MainActorPlayer()
            app.observe()
            app.seek(AVPlayerItem(url: URL(fileURLWithPath: "/missing.wav")))
            _ = app.artwork.imageData(at: .zero)
            #expect(app.heard.contains("artwork"))
        }
    }

    @Test func handlerOfAnOverride_isCalled() {
        let player = RecordingPlayer()
        var isDone = false
        player.seek(to: CMTime(seconds: 3, preferredTimescale: 1)) { isDone = $0 }
        #expect(isDone)
        #expect(player.soughtTo.map(\.seconds) == [3])
    }
}
