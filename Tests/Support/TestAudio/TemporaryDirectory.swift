import Foundation

/// A directory of a test's own, removed with all that is in it when the value goes.
///
/// Keep it in a property of the suite, or use `withTemporaryDirectory`: a local constant goes after its last use.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("open-avfaudio-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A failure here is no test's: the system empties its temporary directory.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file with this name in the directory.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a shell script that can be run, and returns its path.
    ///
    /// Another process writes it. A child that another thread starts meanwhile could keep a file of this process open for
    /// writing, and such a file cannot be run ("Text file busy").
    package func script(_ name: String, _ lines: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", #"printf '#!/bin/sh\n%s\n' "$1" >"$2" && chmod 755 "$2""#, "sh", lines, path(name)]
        try process.run()
        process.waitUntilExit()
        return path(name)
    }
}

/// Runs `body` with a directory of its own and removes that afterwards, also when `body` throws.
package func withTemporaryDirectory<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) { try body(directory) }
}

/// Runs `body` with a directory of its own and removes that afterwards, also when `body` throws.
nonisolated(nonsending) package func withTemporaryDirectory<Result>(
    _ body: nonisolated(nonsending) (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory)
}
