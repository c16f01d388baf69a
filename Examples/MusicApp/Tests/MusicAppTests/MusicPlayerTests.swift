#if canImport(OpenAVFAudioTestKit)
    import Foundation
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
            let player = try MusicPlayer(contentsOf: Song.url)
            try await AudioSimulator.performScene { action in
                switch action {
                case .play: try player.play()
                case .pause: player.pause()
                default: break
                }
            }
        }
    }

    /// Ten seconds of a tone.
    enum Song {
        static let url: URL = {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("song-\(UUID()).wav")
            let frames = 480_000
            var file = Data("RIFF".utf8)
            func add<T: FixedWidthInteger>(_ value: T) {
                withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
            }
            add(UInt32(36 + 2 * frames))
            file.append(Data("WAVEfmt ".utf8))
            add(UInt32(16))
            for value: UInt16 in [1, 1] { add(value) }
            for value: UInt32 in [48000, 96000] { add(value) }
            for value: UInt16 in [2, 16] { add(value) }
            file.append(Data("data".utf8))
            add(UInt32(2 * frames))
            for frame in 0..<frames { add(Int16(9000 * sin(Double(frame) * 0.03))) }
            try? file.write(to: url)
            return url
        }()
    }
#endif
