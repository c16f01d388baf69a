@testable import audiosession

/// Stores what was written.
final class CapturedOutput: TextOutput {
    private(set) var text = ""
    var isClosed = false

    func write(_ text: String) { self.text += text }

    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// Everything since the last call.
    func take() -> String {
        defer { text = "" }
        return text
    }
}
