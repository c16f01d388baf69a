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

    @Test func objections_haveTheWordsOfTheScene() throws {
        let scene = """
            scene 1
            machine laptop
            at 0s unplug headphones
            at 0s server returns
            at 0s machine wakes
            at 0s call ends
            at 0s app radio waits
            at 0s plug hdmi
            at 0s plug hdmi
            at 0s profile hdmi call
            at 0s jack headset says empty
            at 1s server crashes
            at 1s server crashes
            at 1s program radio plays
            at 2s end
            """
        let history = try SceneFilePlayer().run(AudioScene(text: scene))
        #expect(
            history.objections == [
                "unplug of headphones, which is not plugged", "the server returns while it runs",
                "the machine wakes while it is awake", "a call ends, but none is on",
                "the app radio has not taken the sound", "plug of hdmi, which is plugged already",
                "hdmi gets another profile, but it is no Bluetooth headset that is plugged in",
                "the jack of headset/output says something, but no such port is plugged in",
                "the server crashes while it is down",
                "a program plays while the server is down; let the server return first",
            ])
        #expect(history.verdict == "Not all that the scene asks for could be done: see its objections.")
    }
}
