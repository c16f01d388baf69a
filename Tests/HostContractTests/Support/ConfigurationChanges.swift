import Foundation
import OpenAVFAudio
import Synchronization

/// Counts an engine's configuration changes.
final class ConfigurationChanges {
    private final class Counter: Sendable {
        private let stored = Atomic<Int>(0)
        var value: Int { stored.load(ordering: .acquiring) }
        func add() { stored.add(1, ordering: .acquiringAndReleasing) }
    }

    private let counter = Counter()
    private let token: any NSObjectProtocol

    var count: Int { counter.value }

    init(of engine: AVAudioEngine) {
        token = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { [counter] _ in counter.add() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
