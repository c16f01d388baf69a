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
