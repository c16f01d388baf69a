package import SceneCore
internal import SessionRuntime

/// Makes scenes of what programs write: the two spellings of a scene, a trace of a session, and `pw-dump --monitor`.
package enum SceneImport {
    /// The scene of a text, whatever wrote it.
    package static func scene(_ text: String) throws(SceneError) -> AudioScene {
        let start = text.drop { $0.isWhitespace }
        if start.hasPrefix("{\"trace\"") { return try TraceScene.scene(ofTrace: text) }
        if start.hasPrefix("[") { return try DumpScene.scene(ofDump: text) }
        return start.hasPrefix("{") ? try AudioScene(json: text) : try AudioScene(text: text)
    }
}
