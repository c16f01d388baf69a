import AudioModel
import Synchronization

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A process whose host has no ports and refuses everything: for tests that make up the news themselves.
func unconnectedRuntime() -> SessionRuntime {
    do {
        return try SessionRuntime(host: UnreachableHost(kind: .simulated, because: "A test has no sound server."))
    } catch {
        preconditionFailure("a host without a connection failed to start: \(error)")
    }
}

extension AudioModel.Port {
    static let speaker = Port(
        uid: "speaker", name: "Speaker", kind: .builtInSpeaker, direction: .output, channels: [.left, .right],
        sampleRate: 48_000)
    static let headphones = Port(
        uid: "headphones", name: "Headphones", kind: .headphones, direction: .output, channels: [.left, .right],
        sampleRate: 44_100)
    static let microphone = Port(
        uid: "mic", name: "Microphone", kind: .builtInMic, direction: .input, channels: [.mono], sampleRate: 16_000)
}

/// What happened, in order; any thread.
final class History<Entry: Sendable>: Sendable {
    private let stored = Mutex<[Entry]>([])
    var entries: [Entry] { stored.withLock { $0 } }
    func append(_ entry: Entry) { stored.withLock { $0.append(entry) } }
}
