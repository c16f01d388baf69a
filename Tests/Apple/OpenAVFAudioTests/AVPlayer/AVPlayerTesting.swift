import CoreMedia
import Foundation
import SessionRest
import TestAudio
import TestSupport

@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

extension AppMachine {
    /// Lets time pass in cycles, and what each cycle leads to happen before the next one.
    func run(frames: Int) {
        for _ in 0..<(frames / 480) { advance(frames: 480) }
    }

    /// An item of a file of that signal; every frame of a ramp says which it is.
    func item(_ signal: TestSignal = .ramp, seconds: Double) throws -> AVPlayerItem {
        AVPlayerItem(url: URL(filePath: try TestFile.write(signal, seconds: seconds, in: directory)))
    }

    func avPlayer(_ item: AVPlayerItem? = nil) -> AVPlayer {
        AVAudioSession.$taskSession.withValue(session) { AVPlayer(playerItem: item) }
    }

    func queuePlayer(_ items: [AVPlayerItem]) -> AVQueuePlayer {
        AVAudioSession.$taskSession.withValue(session) { AVQueuePlayer(items: items) }
    }

    /// A player of a ramp, opened and paused at its beginning.
    func avPlayer(seconds: Double) throws -> AVPlayer {
        let player = avPlayer(try item(seconds: seconds))
        runtime.drain()
        return player
    }
}

/// The rates of a player and who changed them, as its notifications tell.
final class RateLog {
    private let history = History<String>()
    private let observer: Observer

    init(_ player: AVPlayer) {
        observer = Observer(AVPlayer.rateDidChangeNotification, object: player) { [history] notification in
            let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
            let name = reason?.rawValue.dropFirst("AVPlayerRateDidChangeReason".count) ?? "?"
            history.append("\((notification.object as? AVPlayer)?.rate ?? -1) \(name)")
        }
    }

    /// "0.0 AudioSessionInterrupted": the rate when the notification came, and the reason.
    var entries: [String] { history.entries }
    /// For changes that come so soon one after another that a notification comes after the next one.
    var reasons: [String] { entries.map { String($0.split(separator: " ")[1]) } }
}

/// To the microsecond: positions have another timescale than the files.
func isNear(_ a: CMTime, _ b: CMTime) -> Bool { abs(a.seconds - b.seconds) < 1e-6 }

extension CMTime {
    init(_ seconds: Double) { self.init(seconds: seconds, preferredTimescale: 48_000) }
}

extension AppMachine {
    /// Lets no virtual time pass until a server's answer has led to something.
    func wait(for what: String, _ isThere: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !isThere() {
            guard Date() < deadline else { throw TimedOut(what: what) }
            runtime.drain()
            sched_yield()
        }
    }

    private struct TimedOut: Error { var what: String }

    func remoteItem(_ server: HTTPServer) throws -> AVPlayerItem {
        guard let url = URL(string: server.address) else { throw CocoaError(.fileReadUnknown) }
        return AVPlayerItem(url: url)
    }

    /// The bytes of a file of that signal.
    func bytes(_ signal: TestSignal = .ramp, seconds: Double) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: try TestFile.write(signal, seconds: seconds, in: directory))))
    }
}
