import Foundation
import TestAudio
import Testing

/// A plug-in whose code does not return must not keep the program from ending.
@Suite("audiosession and plug-ins that hang", .ownThread, .serialized)
struct HangingPluginTests {
    /// HANG is the function that does not return, and MARK the file that it makes before.
    private static let code = """
        #include <fcntl.h>
        #include <stdint.h>
        #include <unistd.h>
        static void *hang(int is) { if (is) { creat(MARK, 0600); for (;;) pause(); } return (void *)1; }
        static void *make(const void *a, double b, const char *c, const void *d) { return hang(HANG == 1); }
        static void connect(void *self, uint32_t port, void *memory) {}
        static void activate(void *self) { hang(HANG == 2); }
        static void run(void *self, uint32_t frames) { hang(HANG == 3); }
        static void end(void *self) {}
        static const struct {
            const char *uri;
            void *(*make)(const void *, double, const char *, const void *);
            void (*connect)(void *, uint32_t, void *);
            void (*activate)(void *);
            void (*run)(void *, uint32_t);
            void (*deactivate)(void *);
            void (*end)(void *);
            const void *(*more)(const char *);
        } it = {"urn:hangs", make, connect, activate, run, 0, end, 0};
        const void *lv2_descriptor(uint32_t index) { return index ? 0 : &it; }
        """

    private static let description = """
        @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
        @prefix doap: <http://usefulinc.com/ns/doap#> .
        <urn:hangs> a lv2:Plugin ; lv2:binary <hangs.so> ; doap:name "Hangs" ; lv2:port
            [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In" ] ,
            [ a lv2:AudioPort, lv2:OutputPort ; lv2:index 1 ; lv2:symbol "out" ; lv2:name "Out" ] .
        """

    enum Function: Int, CaseIterable, Sendable {
        case instantiate = 1
        case activate, run
    }

    @Test(arguments: zip(["simulated", "simulated", "pipewire"], Function.allCases))
    func interrupt_whileAPluginHangs_endsTheProgram(host: String, function: Function) throws {
        let machine = try TestMachine()
        let bundle = machine.directory.path("hangs.lv2")
        let mark = machine.directory.path("mark")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try Self.description.write(toFile: bundle + "/manifest.ttl", atomically: true, encoding: .utf8)
        try Self.code.write(toFile: bundle + "/hangs.c", atomically: true, encoding: .utf8)
        let clang = Process()
        clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        clang.arguments = [
            "clang", "-shared", "-fPIC", "-w", "-DHANG=\(function.rawValue)", "-DMARK=\"\(mark)\"",
            "-o", bundle + "/hangs.so", bundle + "/hangs.c",
        ]
        try clang.run()
        clang.waitUntilExit()
        #expect(clang.terminationStatus == 0, "clang comes with Swift")

        var environment = machine.environment
        environment["LV2_PATH"] = machine.directory.path
        let run = try ToolRun(
            ["play", machine.tone(seconds: 60), "--effect", "hangs", "--host", host], environment: environment)
        while access(mark, F_OK) != 0 {
            try #require(kill(run.processID, 0) == 0, "\(run.errors)")
            sched_yield()
        }
        run.send(SIGINT)
        let ending = try run.waitForEnd()
        #expect(ending == .exited(130) || ending == .killed(bySignal: SIGINT), "\(function) on \(host)")
    }
}
