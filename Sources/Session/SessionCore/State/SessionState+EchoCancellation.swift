import AudioModel

extension SessionState {
    /// The app prefers input without echo, and the category and the mode are ones that allow it.
    package var prefersEchoCancellation: Bool {
        guard self.preferredSettings.prefersEchoCancelledInput else { return false }
        return switch (self.configuration.category, self.configuration.mode) {
        case (.playAndRecord, .default), (.multiRoute, .dualRoute): true
        default: false
        }
    }
}
