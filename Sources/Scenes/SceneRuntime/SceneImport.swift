package import SceneCore

/// Makes scenes of what programs write: the text of a scene, a trace of a session, and `pw-dump --monitor`.
package enum SceneImport {
    /// The scene of a text, whatever wrote it.
    package static func scene(_ text: String) throws(SceneError) -> AudioScene {
        let start = text.drop { $0.isWhitespace }
        if start.hasPrefix("{\"trace\"") { return try TraceScene.scene(ofTrace: text) }
        if start.hasPrefix("[") { return try DumpScene.scene(ofDump: text) }
        guard !start.hasPrefix("{") else { throw Self.jsonError }
        return try AudioScene(text: text)
    }

    private static let jsonError = SceneError(
        line: 1, column: 1,
        message: "JSON is not a form of scenes; use lines of text: \"scene 1\", then one event a line such as "
            + "\"at 2s unplug headphones\"")
}
