import Foundation

/// A directory with the bundle of one LV2 plug-in, `urn:test`: its description, and its library where a test compiles one.
///
/// Keep it as long as the plug-in: the files go with it.
package struct PluginBundle: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package static let uri = "urn:test"
    /// For `LV2_PATH`.
    package let directory: TemporaryDirectory

    private var path: String { directory.path("test.lv2") }
    package var libraryPath: String { path + "/test.so" }

    private static let prefixes = """
        @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
        @prefix atom: <http://lv2plug.in/ns/ext/atom#> .
        @prefix doap: <http://usefulinc.com/ns/doap#> .
        @prefix foaf: <http://xmlns.com/foaf/0.1/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

        """

    /// - Parameters:
    ///   - description: Turtle, of `urn:test`; see `description(name:_:)`.
    ///   - binary: what the manifest names as its library; nil names none.
    package init(
        _ description: String = Self.description([.input, .output]), binary: String? = "test.so"
    ) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let manifest =
            "<urn:test> a lv2:Plugin ; rdfs:seeAlso <test.ttl> \(binary.map { "; lv2:binary <\($0)> " } ?? "").\n"
        try (Self.prefixes + manifest).write(toFile: path + "/manifest.ttl", atomically: true, encoding: .utf8)
        try write(description)
    }

    /// Replaces the description.
    package func write(_ description: String) throws {
        try (Self.prefixes + description).write(toFile: path + "/test.ttl", atomically: true, encoding: .utf8)
    }

    /// The description of `urn:test`.
    ///
    /// - Parameters:
    ///   - more: further facts of it, each behind a semicolon.
    ///   - ports: in the order of their indices.
    package static func description(name: String = "Test", more: String = "", _ ports: [Port]) -> String {
        let list = ports.enumerated().map { "[ \($1.facts) ; lv2:index \($0) ]" }.joined(separator: " ,\n    ")
        return "<urn:test> a lv2:Plugin ; doap:name \"\(name)\" \(more) ; lv2:port\n    \(list) .\n"
    }

    /// What a description says of one port, without its index.
    package struct Port: Sendable {
        package var facts: String

        package init(_ facts: String) { self.facts = facts }

        package static let input = Port("a lv2:AudioPort, lv2:InputPort ; lv2:symbol \"in\" ; lv2:name \"In\"")
        package static let output = Port("a lv2:AudioPort, lv2:OutputPort ; lv2:symbol \"out\" ; lv2:name \"Out\"")

        /// - Parameter more: further facts, each behind a semicolon.
        package static func control(_ symbol: String, _ more: String = "") -> Port {
            Port("a lv2:ControlPort, lv2:InputPort ; lv2:symbol \"\(symbol)\" ; lv2:name \"\(symbol)\" \(more)")
        }

        /// A number that the plug-in says.
        package static func measurement(_ symbol: String, _ more: String = "") -> Port {
            Port("a lv2:ControlPort, lv2:OutputPort ; lv2:symbol \"\(symbol)\" ; lv2:name \"\(symbol)\" \(more)")
        }

        package static let latency = measurement("delay", "; lv2:portProperty lv2:reportsLatency")
    }

    /// The C of the plug-in: what its functions do.
    ///
    /// It includes no header, so that a compiler alone is enough. In each function `self->port[INDEX]` is what the host has
    /// connected and `self->rate` the sample rate; `note('x')` adds a letter to `calls`, which a test reads with `dlsym`. The
    /// functions note their names: I, A, R, D, and X for cleanup.
    package struct Code: Sendable {
        /// Declarations.
        package var before = ""
        /// It may return 0, and has the list of the host in `features`.
        package var instantiate = ""
        package var activate = ""
        package var run = ""
        /// Functions that the plug-in does not have.
        package var missing: Set<String> = []
        /// How the host finds the plug-in, `it`.
        package var entry = "const struct descriptor *lv2_descriptor(u32 index) { return index ? 0 : &it; }"

        package init() {}

        fileprivate var text: String {
            let names = ["instantiate", "connect_port", "activate", "run", "deactivate", "cleanup"]
            let functions = names.map { missing.contains($0) ? "0" : $0 }.joined(separator: ", ")
            return """
                typedef unsigned int u32;
                struct feature { const char *uri; void *data; };
                struct plugin { float *port[2048]; double rate; int number; };
                struct descriptor {
                    const char *uri;
                    void *(*instantiate)(const struct descriptor *, double, const char *, const struct feature *const *);
                    void (*connect_port)(void *, u32, void *);
                    void (*activate)(void *);
                    void (*run)(void *, u32);
                    void (*deactivate)(void *);
                    void (*cleanup)(void *);
                    const void *(*extension_data)(const char *);
                };
                char calls[1024];
                static int call_count;
                static void note(char letter) { if (call_count < 1023) calls[call_count++] = letter; }
                static struct plugin plugins[16];
                static int made;
                \(before)
                static void *instantiate(
                    const struct descriptor *d, double rate, const char *bundle, const struct feature *const *features)
                {
                    struct plugin *self = &plugins[made % 16];
                    self->rate = rate;
                    self->number = made++;
                    note('I');
                    \(instantiate)
                    return self;
                }
                static void connect_port(void *handle, u32 port, void *memory)
                {
                    struct plugin *self = handle;
                    if (port < 2048) self->port[port] = memory;
                }
                static void activate(void *handle) { struct plugin *self = handle; note('A'); \(activate) }
                static void run(void *handle, u32 frames) { struct plugin *self = handle; note('R'); \(run) }
                static void deactivate(void *handle) { note('D'); }
                static void cleanup(void *handle) { note('X'); }
                static const struct descriptor it = {"urn:test", \(functions), 0};
                \(entry)
                """
        }
    }

    /// Makes the library.
    ///
    /// - Throws: there is no C compiler, or it does not take the code.
    package func compile(_ code: Code = Code()) throws {
        guard let compiler = Self.compiler else {
            throw Failure(
                description:
                    "there is no C compiler in PATH for a plug-in of a test: install clang, which Swift has, or gcc")
        }
        let source = path + "/test.c"
        try code.text.write(toFile: source, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: compiler)
        process.arguments = ["-shared", "-fPIC", "-nostdlib", "-w", "-o", libraryPath, source]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(compiler) ended with \(process.terminationStatus) for \(code.text)")
        }
    }

    /// Swift brings clang; a system that only runs the tests may have another one.
    private static let compiler: String? = {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = ["clang", "gcc", "cc"].flatMap { name in directories.map { "\($0)/\(name)" } }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
}
