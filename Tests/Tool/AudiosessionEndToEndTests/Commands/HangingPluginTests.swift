import Foundation
import TestAudio
import Testing

/// A plug-in whose code does not return must not keep the program from ending.
@Suite("audiosession and plug-ins that hang", .ownThread, .serialized)
struct HangingPluginTests {
    /// Makes the file that says that the function is reached, and does not return.
    private static func hang(_ mark: String) -> String {
        """
        int creat(const char *, u32);
        int pause(void);
        static void hang(void) { creat("\(mark)", 0600); for (;;) pause(); }
        """
    }

    enum Function: CaseIterable, Sendable {
        case instantiate, activate, run
    }

    @Test(arguments: zip(["simulated", "simulated", "pipewire"], Function.allCases))
    func interrupt_whileAPluginHangs_endsTheProgram(host: String, function: Function) throws {
        let machine = try TestMachine()
        let mark = machine.directory.path("mark")
        let bundle = try PluginBundle(PluginBundle.description(name: "Hangs", [.input, .output]))
        var code = PluginBundle.Code()
        code.before = Self.hang(mark)
        switch function {
        case .instantiate: code.instantiate = "hang();"
        case .activate: code.activate = "hang();"
        case .run: code.run = "hang();"
        }
        try bundle.compile(code)

        var environment = machine.environment
        environment["LV2_PATH"] = bundle.directory.path
        let run = try ToolRun(
            ["play", machine.tone(seconds: 60), "--effect", "hangs", "--host", host], environment: environment)
        while access(mark, F_OK) != 0 {
            try #require(kill(run.processID, 0) == 0, "\(run.errors)")
            sched_yield()
        }
        run.send(SIGINT)
        let ending = try run.waitForEnd()
        withExtendedLifetime(bundle) {}
        #expect(ending == .exited(130) || ending == .killed(bySignal: SIGINT), "\(function) on \(host)")
    }
}
