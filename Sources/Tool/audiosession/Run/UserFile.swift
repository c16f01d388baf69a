import Foundation

/// Files of the user's settings.
enum UserFile {
    /// - Parameters:
    ///   - variable: what names the folder, of the XDG Base Directory Specification.
    ///   - standard: the folder in the user's home where the variable is not set.
    static func folder(_ variable: String, _ standard: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        // Source: XDG Base Directory Specification 0.8: an empty variable counts as none.
        let folder = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        return folder ?? "\(environment["HOME"] ?? "")/\(standard)"
    }

    /// nil where there is none.
    static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The file is there whole or as it was before.
    static func write(_ text: String, to path: String) throws(BackendError) {
        let file = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
        } catch {
            throw BackendError(.notWritable, "could not write \(path.printable) (\(reason(error, path))).")
        }
    }

    /// Nothing where it is not there.
    static func remove(_ path: String) throws(BackendError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw BackendError(.notWritable, "could not remove \(path.printable) (\(reason(error, path))).")
        }
    }

    /// The system's words as part of a sentence, or Foundation's where it names no error of the system.
    static func reason(_ error: any Error, _ path: String) -> String {
        guard FilePath(path).directory.status != nil else { return "its folder is not there" }
        if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
            return String(cString: strerror(cause.code.rawValue))
        }
        let words = error.localizedDescription.split(separator: "The operation could not be completed. ").last ?? ""
        return String(words.last == "." ? words.dropLast() : words).printable
    }
}
