import Foundation
import TestSupport

@testable import OpenAVFAudio

/// Tells what each configuration change of an engine found on one side of it.
final class EngineChanges {
    enum Side { case input, output }

    private let observer: Observer
    let history: History<String>

    /// - Parameter handler: what the app does then.
    init(
        of engine: AVAudioEngine, _ side: Side, _ handler: @escaping @Sendable (AVAudioEngine) -> Void = { _ in }
    ) {
        let history = History<String>()
        self.history = history
        observer = Observer(.AVAudioEngineConfigurationChange, object: engine) { notification in
            guard let engine = notification.object as? AVAudioEngine else { return }
            history.append("running \(engine.isRunning), \(Self.words(engine, side))")
            handler(engine)
        }
    }

    private static func words(_ engine: AVAudioEngine, _ side: Side) -> String {
        switch side {
        case .input:
            let format = engine.inputNode.inputFormat(forBus: 0)
            return "\(format.channelCount) at \(Int(format.sampleRate))"
        case .output:
            return "\(engine.outputNode.outputFormat(forBus: 0).channelCount) channels"
        }
    }
}
