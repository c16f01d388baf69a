import Foundation
import Glibc

/// The file that names the ports which WirePlumber remembers as muted because of a guard, for the next one to take back.
///
/// Like WirePlumber's memory, it outlives the session.
enum MutedPorts {
    /// Empty where there is no such file.
    static func load() -> Set<String> {
        guard let data = try? Data(contentsOf: location) else { return [] }
        return (try? JSONDecoder().decode(Set<String>.self, from: data)) ?? []
    }

    /// Changes nothing: another guard may have written it.
    ///
    /// - Throws: `BackendError` where the file cannot be written.
    static func check() throws(BackendError) {
        do {
            try makeDirectory()
            let descriptor = open(location.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            close(descriptor)
        } catch {
            throw notWritable(error)
        }
    }

    /// - Throws: `BackendError` where the file cannot be written.
    static func store(_ ports: Set<String>) throws(BackendError) {
        do {
            try makeDirectory()
            try JSONEncoder().encode(ports).write(to: location, options: .atomic)
        } catch {
            throw notWritable(error)
        }
    }

    private static func makeDirectory() throws {
        try FileManager.default.createDirectory(
            at: location.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    private static func notWritable(_ error: any Error) -> BackendError {
        let reason = UserFile.reason(error, location.path)
        return BackendError(.notWritable, "could not write \(location.path) (\(reason)); --arm-jack needs it.")
    }

    private static var location: URL {
        URL(fileURLWithPath: UserFile.folder("XDG_STATE_HOME", ".local/state"))
            .appendingPathComponent("audiosession/guard-muted.json")
    }
}
