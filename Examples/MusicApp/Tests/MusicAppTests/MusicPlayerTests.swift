#if canImport(OpenAVFAudioTestKit)
    import MusicApp
    import OpenAVFAudioTestKit
    import Testing

    @Suite struct MusicPlayerTests {
        @Test(.scene("headphones-leave")) func music_whenTheHeadphonesLeave_isNotInTheRoom() async throws {
            try await perform()
        }

        @Test(.scene("navigation")) func music_whileTheNavigatorSpeaks_isQuieter() async throws {
            try await perform()
        }

        /// The user's hand on the app: what a scene's "player plays" does.
        private func perform() async throws {
            let player = try MusicPlayer(contentsOf: AudioSimulator.song)
            try await AudioSimulator.performScene { action in
                switch action {
                case .play: try player.play()
                case .pause: player.pause()
                default: break
                }
            }
        }
    }
#endif
