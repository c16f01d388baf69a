import Foundation
import OpenAVFAudioTestKit
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation

/// Slow and stalling servers of songs, in virtual time.
@Suite struct SimulatedSongServerTests {
    private static func item(_ directory: TemporaryDirectory, seconds: Double) throws -> AVPlayerItem {
        let path = try TestFile.write(.sine(hertz: 440), seconds: seconds, format: .wav16, in: directory)
        return AVPlayerItem(url: URL(filePath: path))
    }

    /// Where the speaker begins to sound, in seconds; nil where it does not.
    private static func starts(_ phone: AudioSimulator) throws -> [Double] {
        let samples = try #require(phone.samples(of: .builtInSpeaker).first)
        var starts: [Double] = []
        var silence = Int.max
        for (frame, sample) in samples.enumerated() {
            if abs(sample) <= 0.01 {
                silence += silence == .max ? 0 : 1
            } else {
                if silence > 480 { starts.append((Double(frame) / 480).rounded(.down) / 100) }
                silence = 0
            }
        }
        return starts
    }

    @Test func item_ofASlowServer_isHeardWhenItHasCome_eachTimeAtTheSameFrame() async throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<20 {
            try await AudioSimulator.run(.phone) { phone in
                phone.setOpening(seconds: 2)
                let player = AVQueuePlayer(items: [
                    try Self.item(directory, seconds: 0.5), try Self.item(directory, seconds: 0.5),
                ])
                player.play()
                phone.advance(bySeconds: 1.9)
                #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
                #expect(phone.loudFrames(of: .builtInSpeaker) == 0)
                phone.advance(bySeconds: 0.3)
                #expect(player.timeControlStatus == .playing)
                phone.advance(bySeconds: 4)
                // The next item is opened when the first one is, and begins again at its turn, as from a server.
                let starts = try Self.starts(phone)
                #expect(starts.count == 2 && starts.first == 2, "\(starts)")
                #expect((4.0...4.6).contains(starts.last ?? 0), "\(starts)")
                #expect(phone.violations == [])
            }
        }
    }

    @Test func item_withoutASlowServer_isHeardAtOnce() async throws {
        let directory = try TemporaryDirectory()
        try await AudioSimulator.run(.phone) { phone in
            phone.setOpening(seconds: 2)
            phone.setOpening(seconds: 0)
            let player = AVPlayer(playerItem: try Self.item(directory, seconds: 0.5))
            player.play()
            phone.advance(bySeconds: 1)
            #expect(try Self.starts(phone) == [0])
        }
    }

    @Test func item_replacedWhileItComes_isNeverHeard() async throws {
        let directory = try TemporaryDirectory()
        try await AudioSimulator.run(.phone) { phone in
            phone.setOpening(seconds: 2)
            let player = AVPlayer(playerItem: try Self.item(directory, seconds: 5))
            player.play()
            phone.advance(bySeconds: 1)
            player.replaceCurrentItem(with: try Self.item(directory, seconds: 0.5))
            phone.advance(bySeconds: 1.5)
            #expect(try Self.starts(phone) == [])
            phone.advance(bySeconds: 5)
            #expect(try Self.starts(phone) == [3])
            #expect((20_000...24_000).contains(phone.loudFrames(of: .builtInSpeaker)))
        }
    }

    @Test func machineThatEnds_whileAnItemComes_keepsNoPlayer() async throws {
        let directory = try TemporaryDirectory()
        weak var kept: AVPlayer?
        try await AudioSimulator.run(.phone) { phone in
            phone.setOpening(seconds: 2)
            let player = AVPlayer(playerItem: try Self.item(directory, seconds: 1))
            player.play()
            phone.advance(bySeconds: 1)
            kept = player
        }
        #expect(kept == nil)
    }

    @Test func server_thatStalls_isSilentForTheTime_andTheSongGoesOnWhereItWas() async throws {
        let directory = try TemporaryDirectory()
        var counts: Set<Int> = []
        for _ in 0..<10 {
            try await AudioSimulator.run(.phone) { phone in
                let player = AVPlayer(playerItem: try Self.item(directory, seconds: 4))
                player.play()
                phone.advance(bySeconds: 1)
                phone.stallItems(seconds: 3)
                phone.advance(bySeconds: 2)
                #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
                phone.advance(bySeconds: 6)
                let starts = try Self.starts(phone)
                #expect(starts == [0, 4], "\(starts)")
                let loud = phone.loudFrames(of: .builtInSpeaker)
                #expect((185_000...192_000).contains(loud), "\(loud)")
                counts.insert(loud)
            }
        }
        #expect(counts.count == 1)
    }
}
