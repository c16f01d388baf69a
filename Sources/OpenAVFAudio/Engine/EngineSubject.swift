import Foundation

/// The engine as the `object` of its notifications; does not keep it alive.
///
/// `@unchecked Sendable`: `stored` is read and written under `lock` only, and only the poster reads it on a thread of its
/// own, to hand it to the notification center.
final class EngineSubject: @unchecked Sendable {
    private let lock = NSLock()
    private weak var stored: AVAudioEngine?

    /// Nil once the engine is gone.
    var engine: AVAudioEngine? { lock.withLock { stored } }

    func bind(to engine: AVAudioEngine) { lock.withLock { stored = engine } }
}
