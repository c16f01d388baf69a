import Foundation
import Testing

/// What the compiler prints where code uses what Linux cannot have: the reason, and what to do instead.
@Suite struct UnavailableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// One class of Unavailable.swift, with the labels of each of its initialisers.
    private struct Declaration {
        var name: String
        var message: String
        var initialisers: [[String]] = []
    }

    private static func declarations() throws -> [Declaration] {
        let text = try String(
            contentsOf: root.appending(path: "Sources/Apple/OpenAVFAudio/Unavailable.swift"), encoding: .utf8)
        var declarations: [Declaration] = []
        var message = ""
        for line in text.split(separator: "\n") {
            if let found = line.firstMatch(of: /unavailable, message: "(.*)"\)/) { message = String(found.1) }
            if let found = line.firstMatch(of: /^(?:public final|open) class (\w+)/) {
                declarations.append(Declaration(name: String(found.1), message: message))
            }
            // Of these types only: an extension of another type is one line further in the file.
            if line.hasPrefix("extension") { break }
            if let found = line.firstMatch(of: /^    public init\??\((.*?)\)(?: throws)? \{/) {
                declarations[declarations.count - 1].initialisers.append(
                    found.1.split(separator: ",").map { parameter in
                        String(parameter.split(separator: ":")[0].split(separator: " ")[0])
                    })
            }
        }
        return declarations
    }

    /// What the compiler says of a program that imports the library.
    private static func errors(in program: String) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "oav-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "Sample.swift")
        try Data(program.utf8).write(to: file)
        let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let sources = root.appending(path: "Sources").path
        let script = """
            flags=(-I "$1/Modules")
            for module in CSndfile CSoxr CPipeWire; do flags+=(-I "$2/C/$module"); done
            for headers in "$2"/C/*/include; do flags+=(-Xcc -I"$headers"); done
            for module in "$1"/*.build/module.modulemap; do flags+=(-Xcc -fmodule-map-file="$module"); done
            exec swiftc -typecheck -module-cache-path "$3" "${flags[@]}" -Xcc -I/usr/include/pipewire-0.3 \
                -Xcc -I/usr/include/spa-0.2 "$4"
            """
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "-c", script, "bash", products.path, sources, directory.appending(path: "cache").path, file.path,
        ]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func useOfEachClass_printsItsReason() throws {
        let declarations = try Self.declarations()
        #expect(!declarations.isEmpty)
        var lines = ["import OpenAVFAudio", "func any<T>() -> T { fatalError() }", "func use() throws {"]
        for declaration in declarations {
            lines.append("    let _: \(declaration.name)? = nil")
            for labels in declaration.initialisers {
                lines.append(
                    "    _ = try \(declaration.name)(\(labels.map { "\($0): any()" }.joined(separator: ", ")))")
            }
        }
        let text = try Self.errors(in: (lines + ["}"]).joined(separator: "\n"))
        let errors = text.split(separator: "\n").filter { $0.contains("Sample.swift:") && $0.contains("error:") }
        for declaration in declarations {
            let wanted = "error: '\(declaration.name)' is unavailable: \(declaration.message)"
            // Once for the type and once for each initialiser.
            #expect(errors.count { $0.hasSuffix(wanted) } == 1 + declaration.initialisers.count, "\(wanted)\n\(text)")
        }
        #expect(errors.count == declarations.reduce(0) { $0 + 1 + $1.initialisers.count })
    }

    /// These have no initialiser in Apple's headers either: an object of another class makes them.
    private static let made = [
        "AVAudioUnitEQFilterParameters", "AVMusicTrack", "AVAudioEnvironmentDistanceAttenuationParameters",
    ]

    @Test func eachClass_hasThePublicInitialisersOfApples() throws {
        for declaration in try Self.declarations() where !Self.made.contains(declaration.name) {
            #expect(!declaration.initialisers.isEmpty, "\(declaration.name) has no public initialiser")
        }
    }
}
