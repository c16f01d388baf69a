import OpenAVFAudio
import TestSupport

/// Counts an engine's configuration changes.
final class ConfigurationChanges {
    private let history: History<Void>
    private let observer: Observer

    var count: Int { history.count }

    init(of engine: AVAudioEngine) {
        let history = History<Void>()
        self.history = history
        observer = Observer(.AVAudioEngineConfigurationChange, object: engine) { _ in history.append(()) }
    }
}
