import EngineCore
import Foundation
import TestAudio
import Testing

@testable import OpenLV2

/// Libraries of plug-ins that cannot be used: each is refused with a sentence, before lilv calls what is not there.
@Suite struct PluginFaultTests {
    private func makeProcessor(_ bundle: PluginBundle) throws -> any UnitProcessor {
        try PluginBench(bundle).makeProcessor(PluginBench.shape(inputs: 1))
    }

    private func refusal(_ bundle: PluginBundle) -> String {
        #expect(throws: GraphError.self) { try makeProcessor(bundle) }?.description ?? ""
    }

    // MARK: The file

    enum File: CaseIterable, Sendable {
        case missing, text, pipe, directory, device, danglingLink

        func make(at path: String) throws {
            let files = FileManager.default
            switch self {
            case .missing: break
            case .text: try Data("no code".utf8).write(to: URL(filePath: path))
            // It would keep who opens it for ever.
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .directory: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .device: try files.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
            case .danglingLink: try files.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere.so")
            }
        }
    }

    @Test(arguments: File.allCases) func plugin_whoseLibraryIsNone_isListed_andRefusedWhenItIsMade(file: File) throws {
        let bundle = try PluginBundle()
        try file.make(at: bundle.libraryPath)
        let text = refusal(bundle)
        #expect(text.contains("urn:test makes no instance for 48000.0 Hz"))
        #expect(text.contains(file == .text ? "test.so" : "test.so is no file"))
    }

    @Test(arguments: [nil, "http://127.0.0.1/test.so"] as [String?])
    func plugin_whoseLibraryIsAtNoPath_isRefused(binary: String?) throws {
        let bundle = try PluginBundle(binary: binary)
        #expect(refusal(bundle).contains("(its library is no file)"))
    }

    @Test func library_thatNeedsAFunctionOfNobody_isRefused_withItsName() throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.before = "void missing_function(void);"
        code.run = "missing_function();"
        try bundle.compile(code)
        #expect(refusal(bundle).contains("undefined symbol: missing_function"))
    }

    // MARK: What it says of itself

    @Test func plugin_thatIsComplete_isMade() throws {
        let bundle = try PluginBundle()
        try bundle.compile()
        #expect(try makeProcessor(bundle).latencyFrames == 0)
    }

    /// lilv calls them without a look.
    @Test(arguments: ["instantiate", "connect_port", "run", "cleanup"])
    func plugin_withoutAFunction_isRefused_withASentence(function: String) throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.missing = [function]
        try bundle.compile(code)
        #expect(refusal(bundle).contains("makes no instance for 48000.0 Hz (it has no function \(function))"))
    }

    @Test func plugin_withoutTheFunctionsThatItMayLack_isMade_andRuns() throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.missing = ["activate", "deactivate"]
        code.run = "for (u32 frame = 0; frame < frames; frame++) self->port[1][frame] = 0.5f;"
        try bundle.compile(code)
        #expect(try PluginBench(bundle).run([[0, 0, 0]]) == [[0.5, 0.5, 0.5]])
    }

    private static let other = """
        static const struct descriptor other = {"urn:other", instantiate, connect_port, 0, run, 0, cleanup, 0};
        """

    @Test(arguments: [
        ("int nothing;", "its library has no function lv2_descriptor"),
        ("const void *lv2_descriptor(u32 index) { return 0; }", "its library does not have it"),
        (
            other + "const void *lv2_descriptor(u32 index) { return index ? 0 : &other; }",
            "its library does not have it"
        ),
        (other + "const void *lv2_descriptor(u32 index) { return &other; }", "its library has too many plug-ins"),
        (
            "static const struct descriptor none; const void *lv2_descriptor(u32 index) { return &none; }",
            "its library has a plug-in without a URI"
        ),
        (
            "const void *lv2_lib_descriptor(const char *bundle, const void *features) { return 0; }",
            "its library is not ready"
        ),
        (
            "struct { void *handle; u32 size; void *end, *get; } l; void *lv2_lib_descriptor(void) { return &l; }",
            "its library has no function get_plugin or cleanup"
        ),
    ])
    func library_withoutThePlugin_isRefused_withTheReason(entry: String, reason: String) throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.entry = entry
        try bundle.compile(code)
        #expect(refusal(bundle).contains("(\(reason))"))
    }

    /// The newer way to tell of plug-ins; the one of that URI is the second.
    @Test func library_withADescriptorOfItsOwn_isTaken() throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.entry =
            Self.other + """
                static const void *get(void *handle, u32 index) { return index == 0 ? &other : index == 1 ? &it : 0; }
                static void end(void *handle) {}
                static struct { void *handle; u32 size; void *end, *get; } library = {0, sizeof(library), end, get};
                const void *lv2_lib_descriptor(const char *bundle, const void *features) { return &library; }
                """
        try bundle.compile(code)
        #expect(try makeProcessor(bundle).latencyFrames == 0)
    }

    @Test func plugin_thatMakesNoInstance_isRefused() throws {
        let bundle = try PluginBundle()
        var code = PluginBundle.Code()
        code.instantiate = "if (rate > 47000) return 0;"
        try bundle.compile(code)
        #expect(refusal(bundle).contains("urn:test makes no instance for 48000.0 Hz (it refuses)"))
        // Another rate may do.
        let bench = try PluginBench(bundle)
        #expect(throws: Never.self) { try bench.makeProcessor(PluginBench.shape(inputs: 1, rate: 44_100)) }
        // The second of two refuses: the first is given back.
        code.instantiate = "if (made == 2) return 0;"
        let second = try PluginBundle()
        try second.compile(code)
        let calls = try PluginCalls(second)
        #expect(throws: GraphError.self) { try PluginBench(second).makeProcessor(PluginBench.shape(inputs: 2)) }
        #expect(calls.letters == "IIX")
    }

    // MARK: Latency

    /// 5 s at 48 kHz are 240 000 frames.
    @Test(
        arguments: [
            ("96", 96), ("96.75f", 96), ("0", 0), ("-1", 0), ("-__builtin_inff()", 0), ("__builtin_nanf(\"\")", 0),
            ("__builtin_inff()", 0), ("240000", 240_000), ("240001", nil), ("480000", nil), ("3e38f", nil),
        ] as [(String, Int?)])
    func latency_isTaken_unlessItIsAbsurd(claim: String, frames: Int?) throws {
        let bundle = try PluginBundle(PluginBundle.description([.input, .output, .latency]))
        var code = PluginBundle.Code()
        code.run = "*self->port[2] = \(claim);"
        try bundle.compile(code)
        if let frames {
            #expect(try makeProcessor(bundle).latencyFrames == frames)
            return
        }
        let calls = try PluginCalls(bundle)
        let text = refusal(bundle)
        #expect(text.contains("s late, and at most 5.0 s are possible: use another plug-in, or other settings of it."))
        if claim == "480000" { #expect(text.contains("says that its sound comes 10.0 s late")) }
        // What was made is ended as any other.
        #expect(calls.letters == "IARDX")
    }
}
