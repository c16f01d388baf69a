import AudioModel

extension SessionState {
    /// The app prefers input without echo, and the category and the mode are ones that allow it.
    package var prefersEchoCancellation: Bool {
        self.preferredSettings.prefersEchoCancelledInput && self.configuration.category == .playAndRecord
            && self.configuration.mode == .default
    }
}
