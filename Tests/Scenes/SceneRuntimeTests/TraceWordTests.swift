import AudioModel
import SceneCore
import SceneRuntime
import SessionCore
import Testing

/// A trace's scene says what a session is set to, with all of it.
struct TraceWordTests {
    /// What the text of the scene of a trace with these settings sets the session to.
    private func settings(after configurations: [SessionConfiguration]) throws -> [SessionConfiguration] {
        let events = configurations.enumerated().map { number, configuration in
            SessionEvent(
                time: HostTime(nanoseconds: UInt64(number) * 1_000_000),
                fact: .configurationRequested(CallID(number: UInt64(number)), configuration))
        }
        let scene = try AudioScene(text: TraceScene.scene(of: events).text)
        return scene.events.flatMap { $0.actions }.compactMap { action in
            if case .configure(let claim) = action { claim.configuration } else { nil }
        }
    }

    @Test func scene_keepsEachCategoryAndMode() throws {
        let all = SessionCategory.allCases.flatMap { category in
            SessionMode.allCases.map { SessionConfiguration(category: category, mode: $0) }
        }
        #expect(try settings(after: all) == all)
        #expect(all.count == 66)
    }

    /// `farFieldInput` and `bluetoothHighQualityRecording` were left out.
    @Test func scene_keepsEachSetOfOptions() throws {
        let options = SessionOptions.all.map(\.bits)
        let all = (0..<(1 << options.count)).map { bits in
            SessionConfiguration(
                category: .playAndRecord,
                options: SessionOptions(options.indices.filter { bits >> $0 & 1 == 1 }.map { options[$0] }))
        }
        #expect(try settings(after: all) == all)
        #expect(all.count == 1024)
    }
}
