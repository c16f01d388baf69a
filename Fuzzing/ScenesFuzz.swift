import SceneCore

/// The text of a scene.
enum ScenesFuzz {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            check(try AudioScene(text: text))
        } catch { check(error) }
    }

    /// What was read is the same after it was written.
    private static func check(_ scene: AudioScene) {
        require((try? AudioScene(text: scene.text)) == scene, "another scene after its text")
        require(scene.duration >= .zero, "a negative duration")
    }

    private static func check(_ error: SceneError) {
        require(error.line > 0 && error.column > 0 && !error.message.isEmpty, "an error without a place")
        require(
            !error.message.unicodeScalars.contains { $0.value < 0x20 }, "an error with a control character")
    }
}
