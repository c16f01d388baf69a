import SceneCore
import SceneRuntime
import Testing

@Suite struct SceneFilePlayerTests {
    @Test(arguments: AudioScene.wellKnownNames) func wellKnownScene_withThePlayer_isAsExpected(_ name: String) throws {
        let scene = try #require(AudioScene.wellKnown(name))
        let history = try SceneFilePlayer().run(scene)
        #expect(history.failures.isEmpty && history.objections.isEmpty, "\(history.text)")
        #expect(scene.link?.hasPrefix("https://") == true)
    }
}
