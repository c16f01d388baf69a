import Foundation
import Glibc

/// The systemd user unit that runs the guard.
enum GuardUnit {
    static let name = "audiosession-guard.service"

    /// - Parameter words: the guard's options.
    static func text(program: String, words: [String]) -> String {
        func command(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
        return """
            [Unit]
            Description=Pause programs when headphones leave (audiosession guard)
            After=pipewire.service wireplumber.service

            [Service]
            Type=notify
            ExecStart=\(command([program, "guard"] + words))
            # What --arm-jack changed, after a guard that was killed.
            ExecStopPost=-\(command([program, "guard", "repair"]))
            Restart=on-failure
            # A backtrace would keep a guard that crashes, and what it holds, for many seconds.
            Environment=SWIFT_BACKTRACE=enable=no
            # The guard asks for the watchdog while a hung guard would do harm.
            WatchdogSignal=SIGKILL

            [Install]
            WantedBy=default.target

            """
    }

    /// Writes, enables and starts the unit.
    ///
    /// - Throws: `BackendError`.
    static func install(words: [String]) throws(BackendError) -> [String] {
        let (directory, path) = location
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(text(program: programPath, words: words).utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw BackendError(
                code: .program(.notWritable), message: "could not write \(path) (\(error.localizedDescription)).")
        }
        let written = "Wrote \(path)."
        guard systemctl(["daemon-reload"]), systemctl(["enable", name]), systemctl(["restart", name]) else {
            return [written, "systemd did not start it; log in again, or run: systemctl --user enable --now \(name)"]
        }
        return [written, "The guard is running, and starts with every login."]
    }

    /// - Throws: `BackendError`.
    static func uninstall() throws(BackendError) -> [String] {
        let (_, path) = location
        _ = systemctl(["stop", name])
        _ = systemctl(["disable", name])
        guard FileManager.default.fileExists(atPath: path) else { return ["There is no unit \(path)."] }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw BackendError(
                code: .program(.notWritable), message: "could not remove \(path) (\(error.localizedDescription)).")
        }
        _ = systemctl(["daemon-reload"])
        return ["Removed \(path)."]
    }

    private static var location: (directory: String, path: String) {
        let environment = ProcessInfo.processInfo.environment
        let configuration = environment["XDG_CONFIG_HOME"] ?? "\(environment["HOME"] ?? "")/.config"
        let directory = configuration + "/systemd/user"
        return (directory, "\(directory)/\(name)")
    }

    private static var programPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// In systemd's syntax, where % begins a specifier and $ a variable.
    private static func quoted(_ word: String) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
            .replacing("$", with: "$$")
        return "\"\(escaped)\""
    }

    private static func systemctl(_ words: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["systemctl", "--user"] + words
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
