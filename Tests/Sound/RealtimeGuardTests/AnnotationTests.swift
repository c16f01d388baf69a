import Foundation
import Testing

/// dev/checks/realtime and the compiler's attributes: both hold here, and both can fire.
@Suite struct AnnotationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private struct Outcome {
        var status: Int32
        var text: String
    }

    private static func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = root
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }

    /// Runs the body with a directory that holds one Swift file with this text.
    private static func withSample<Result>(_ text: String, _ body: (URL) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "oav-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data(text.utf8).write(to: directory.appending(path: "Sample.swift"))
        return try body(directory)
    }

    @Test func renderCore_isAnnotatedThroughout() throws {
        let outcome = try Self.run(["dev/checks/realtime"])
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    private static let faults = [
        "func f() {}",
        "@_noLocks\nfunc f() {}",
        "@_noAllocation func f() {}",
        "struct S {\n    @_noLocks @_noAllocation\n    func a() {}\n    func b() {}\n}",
        "struct S {\n    package init(a: Int) {}\n}",
        "struct S: ~Copyable {\n    deinit {}\n}",
        "struct S {\n    private subscript(index: Int) -> Int { index }\n}",
        "struct S {\n    var a: Int { 1 }\n}",
        "struct S {\n    var a: Int {\n        1\n    }\n}",
        "struct S {\n    var a: Int {\n        get { 1 }\n    }\n}",
        "struct S {\n    var a: Int {\n        @_noLocks @_noAllocation get { 1 }\n        set {}\n    }\n}",
        "struct S {\n    var a = 1 {\n        didSet {}\n    }\n}",
        "enum E {\n    static func == (a: E, b: E) -> Bool { true }\n}",
        "// @_noLocks @_noAllocation\nfunc f() {}",
        "final class C {\n    @_noLocks @_noAllocation\n    func f() {}\n}",
        "@_noLocks @_noAllocation\nfunc f(_ a: any P) {}",
        "nonisolated(unsafe) var counter = 0\n@_noLocks @_noAllocation\nfunc f() {}",
        "let nothing = 1",
    ]

    @Test(arguments: faults) func sample_withAFault_isRefused(text: String) throws {
        let outcome = try Self.withSample(text) { try Self.run(["dev/checks/realtime", $0.path]) }
        #expect(outcome.status != 0)
        #expect(outcome.text.contains("Sample.swift:") || outcome.text.contains("nothing to check"))
    }

    private static let goods = [
        "@_noLocks @_noAllocation\nfunc f() {}",
        "@c(name) @_noLocks @_noAllocation\npackage func f() {}",
        "@_noLocks\n@_noAllocation\nfunc f() {}",
        "struct S {\n    var a = 1\n    @_noLocks @_noAllocation\n    init(a: Int) { self.a = a }\n}",
        "struct S {\n    var a: Int { @_noLocks @_noAllocation get { 1 } }\n}",
        "struct S {\n    var a: Int {\n        @_noLocks @_noAllocation get { 1 }\n    }\n}",
        "@_noLocks @_noAllocation\nfunc f() {\n    let a = S.init(b: 1)\n    precondition(a.b > 0, \"func {\")\n}",
    ]

    @Test(arguments: goods) func sample_withoutAFault_passes(text: String) throws {
        let outcome = try Self.withSample(text) { try Self.run(["dev/checks/realtime", $0.path]) }
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test func directory_thatIsMissing_isRefused() throws {
        let outcome = try Self.run(["dev/checks/realtime", "no/such/directory"])
        #expect(outcome.status == 2)
    }

    @Test(arguments: [
        ("[Int](repeating: 0, count: n).count", "allocat"),
        ("{ let m = Mutex(n); return m.withLock { $0 } }()", "unpredictable performance"),
    ]) func compiler_onAnAnnotatedFunctionThatBreaksItsWord_refuses(expression: String, reason: String) throws {
        let text = """
            import Synchronization
            @_noLocks @_noAllocation
            func f(_ n: Int) -> Int { \(expression) }
            """
        let outcome = try Self.withSample(text) {
            try Self.run(["swiftc", "-c", $0.appending(path: "Sample.swift").path, "-o", "/dev/null"])
        }
        #expect(outcome.status != 0)
        #expect(outcome.text.contains(reason), "\(outcome.text)")
    }
}
