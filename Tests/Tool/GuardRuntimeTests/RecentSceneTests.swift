import AudioModel
import GuardCore
import GuardRuntime
import SceneCore
import Testing

struct RecentSceneTests {
    private static let speaker = GuardOutputs(
        outputs: [GuardOutput(sink: "speaker", uid: "speaker", name: "Speaker", kind: .builtInSpeaker, priority: 500)],
        defaultSink: .sink("speaker"))

    private static let microphone = Port(
        uid: "mic", name: "A microphone", kind: .builtInMic, direction: .input, channels: [.mono])

    private func at(_ seconds: Int) -> HostTime { HostTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    private func lines(_ scene: AudioScene) -> [String] {
        scene.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("at ") || $0.hasPrefix("p") }
    }

    @Test func inputsAndVolumes_areInTheScene() {
        var recent = RecentScene()
        recent.add(.outputsChanged(Self.speaker), at: at(100))
        recent.add(.surroundingsChanged(GuardSurroundings(volumes: ["speaker": PortVolume(level: 0.5)])), at: at(101))
        var surroundings = GuardSurroundings(
            inputs: [Self.microphone], defaultInputUID: "mic",
            volumes: ["speaker": PortVolume(level: 0.5, isMuted: true)])
        recent.add(.surroundingsChanged(surroundings), at: at(102))
        // What stays the same is said once.
        recent.add(.surroundingsChanged(surroundings), at: at(103))
        recent.add(.outputsChanged(Self.speaker), at: at(104))
        surroundings.inputs = []
        recent.add(.surroundingsChanged(surroundings), at: at(105))
        #expect(
            lines(recent.scene(until: at(106), hasNames: false)) == [
                "port port-1 output builtInSpeaker",
                "port port-2 input builtInMic",
                "at 0s plug port-1 and default output port-1",
                "at 1s volume port-1 50%",
                "at 2s plug port-2 and default input port-2 and volume port-1 50% muted",
                "at 5s unplug port-2",
                "at 6s end",
            ])
    }

    @Test func inputsAndVolumesOfBefore_areWhatTheSceneBeginsWith() {
        var recent = RecentScene()
        recent.add(.outputsChanged(Self.speaker), at: at(0))
        let surroundings = GuardSurroundings(
            inputs: [Self.microphone], defaultInputUID: "mic", volumes: ["speaker": PortVolume(level: 0.25)])
        recent.add(.surroundingsChanged(surroundings), at: at(1))
        recent.add(.streamEnded(1), at: at(90))
        #expect(
            lines(recent.scene(until: at(100), hasNames: true)) == [
                "port \"port speaker\" output builtInSpeaker called Speaker",
                "port mic input builtInMic called \"A microphone\"",
                "plugged \"port speaker\" mic",
                "at 0s default output \"port speaker\" and default input mic and volume \"port speaker\" 25%",
                "at 0s end",
            ])
    }
}
