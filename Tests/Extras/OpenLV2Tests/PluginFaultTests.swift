import AudioModel
import EngineCore
import Foundation
import TestAudio
import Testing

@testable import OpenLV2

/// What a host of plug-ins has to stand: libraries without a function, pipes, absurd delays, messages with control characters.
///
/// The libraries are compiled by clang, which every Swift toolchain has.
@Suite struct PluginFaultTests {
    /// A plug-in with an input, an output and a port that says its delay, DELAY frames; CONNECT and others may be 0.
    private static let code = """
        #include <stdint.h>
        struct plugin {
            const char *uri;
            void *(*make)(const void *, double, const char *, const void *);
            void (*connect)(void *, uint32_t, void *);
            void (*activate)(void *);
            void (*run)(void *, uint32_t);
            void (*deactivate)(void *);
            void (*end)(void *);
            const void *(*more)(const char *);
        };
        static float *delay;
        static void *make(const void *a, double b, const char *c, const void *d) { return &delay; }
        static void connect(void *self, uint32_t port, void *memory) { if (port == 2) delay = memory; }
        static void run(void *self, uint32_t frames) { if (delay) *delay = DELAY; }
        static void end(void *self) {}
        static const struct plugin it = {"urn:bad", MAKE, CONNECT, 0, RUN, 0, END, 0};
        const struct plugin *lv2_descriptor(uint32_t index) { return index ? 0 : &it; }
        """

    private static let ports = """
        lv2:port [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In" ] ,
            [ a lv2:AudioPort, lv2:OutputPort ; lv2:index 1 ; lv2:symbol "out" ; lv2:name "Out" ] ,
            [ a lv2:ControlPort, lv2:OutputPort ; lv2:index 2 ; lv2:symbol "delay" ; lv2:name "Delay" ;
              lv2:portProperty lv2:reportsLatency ]
        """

    /// A bundle with one plug-in, and no library yet.
    private static func makeBundle(_ ports: String = Self.ports) throws -> (bundle: String, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        let bundle = directory.path("bad.lv2")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let prefixes =
            "@prefix lv2: <http://lv2plug.in/ns/lv2core#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix doap: <http://usefulinc.com/ns/doap#> .\n"
        try (prefixes + "<urn:bad> a lv2:Plugin ; lv2:binary <bad.so> ; rdfs:seeAlso <bad.ttl> .\n")
            .write(toFile: bundle + "/manifest.ttl", atomically: true, encoding: .utf8)
        try (prefixes + "<urn:bad> a lv2:Plugin ; doap:name \"Bad\" ; \(ports) .\n")
            .write(toFile: bundle + "/bad.ttl", atomically: true, encoding: .utf8)
        return (bundle, directory)
    }

    private func compile(_ bundle: String, _ changed: [String: String] = [:]) throws {
        let values = ["MAKE": "make", "CONNECT": "connect", "RUN": "run", "END": "end", "DELAY": "0"]
            .merging(changed) { $1 }
        try Self.code.write(toFile: bundle + "/bad.c", atomically: true, encoding: .utf8)
        let clang = Process()
        clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        clang.arguments =
            ["clang", "-shared", "-fPIC", "-w", "-o", bundle + "/bad.so", bundle + "/bad.c"]
            + values.map { "-D\($0.key)=\($0.value)" }
        try clang.run()
        clang.waitUntilExit()
        #expect(clang.terminationStatus == 0, "clang comes with Swift")
    }

    private func makeProcessor(_ directory: TemporaryDirectory) throws -> any UnitProcessor {
        let library = PluginLibrary(path: directory.path)
        let format = StreamFormat(sampleRate: 48_000, channels: ChannelLabel.standard(count: 1))
        let unit = PluginUnit(try #require(library.plugins.first), of: library)
        return try unit.makeProcessor(ProcessorShape(inputs: [format], output: format, maximumFrames: 480))
    }

    private func refusal(_ directory: TemporaryDirectory) -> String {
        #expect(throws: GraphError.self) { try makeProcessor(directory) }?.description ?? ""
    }

    @Test func plugin_thatIsComplete_isMade() throws {
        let (bundle, directory) = try Self.makeBundle()
        try compile(bundle, ["DELAY": "96"])
        #expect(try makeProcessor(directory).latencyFrames == 96)
    }

    /// lilv calls them without a look.
    @Test(arguments: [
        ("MAKE", "instantiate"), ("CONNECT", "connect_port"), ("RUN", "run"), ("END", "cleanup"),
    ])
    func plugin_withoutAFunction_isRefused_withASentence(macro: String, function: String) throws {
        let (bundle, directory) = try Self.makeBundle()
        try compile(bundle, [macro: "0"])
        let reason = "makes no instance for 48000.0 Hz (it has no function \(function))"
        #expect(refusal(directory).contains(reason))
    }

    /// It would keep who opens it for ever.
    @Test func plugin_whoseLibraryIsAPipe_isRefused_andNotOpened() throws {
        let (bundle, directory) = try Self.makeBundle()
        #expect(mkfifo(bundle + "/bad.so", 0o600) == 0)
        #expect(refusal(directory).contains("bad.so is no file"))
    }

    @Test func plugin_thatClaimsADelayOfTenSeconds_isRefused_withASentence() throws {
        let (bundle, directory) = try Self.makeBundle()
        try compile(bundle, ["DELAY": "480000"])
        #expect(refusal(directory).contains("says that its sound comes 10.0 s late, and at most 5.0 s are possible"))
    }

    @Test func messagesOfLilv_areMadePrintable() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let (_, directory) = try PluginFaultTests.makeBundle(
                """
                lv2:port [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "a:b=c\\u001B[2J" ; lv2:name "In" ]
                """)
            _ = PluginLibrary(path: directory.path).plugins
            withExtendedLifetime(directory) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a:b=c"))
        #expect(!text.contains("\u{1b}"))
    }
}
