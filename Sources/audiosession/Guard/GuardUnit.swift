import Foundation
import Glibc

/// The systemd user unit that runs the guard.
enum GuardUnit {
    static let name = "audiosession-guard.service"

    /// - Parameters:
    ///   - program: the path of this program.
    ///   - words: the guard's options, without control characters.
    /// - Throws: `BackendError` for a path that systemd does not take.
    static func text(program: String, words: [String]) throws(BackendError) -> String {
        // Source: systemd 252, src/basic/string-util.c, string_is_safe: quoting does not help.
        guard !program.contains(where: { "\"'\\".contains($0) }), program == program.printable else {
            throw BackendError(
                code: .program(.notInstalled),
                message: "this program is at '\(program.printable)', and systemd does not start programs with a "
                    + "quotation mark, a backslash or a character that is not shown in their path; move it, for example "
                    + "to /usr/local/bin.")
        }
        func command(_ words: [String]) -> String {
            // Variables are replaced in the words only, not in the program's path.
            ([quoted(program)] + words.map { quoted($0.replacing("$", with: "$$")) }).joined(separator: " ")
        }
        return """
            [Unit]
            Description=Pause programs when headphones leave (audiosession guard)
            After=pipewire.service wireplumber.service

            [Service]
            Type=notify
            ExecStart=\(command(["guard"] + words))
            # What --arm-jack changed, after a guard that was killed.
            ExecStopPost=-\(command(["guard", "repair"]))
            Restart=on-failure
            # A backtrace would keep a guard that crashes, and what it holds, for many seconds.
            Environment=SWIFT_BACKTRACE=enable=no
            # The guard asks for the watchdog while a hung guard would do harm.
            WatchdogSignal=SIGKILL
            # It talks to local sockets alone, and starts no programs with more rights.
            NoNewPrivileges=yes
            RestrictAddressFamilies=AF_UNIX
            RestrictNamespaces=yes
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            SystemCallArchitectures=native
            UMask=0077

            [Install]
            WantedBy=default.target

            """
    }

    /// Writes, enables and starts the unit.
    ///
    /// - Throws: `BackendError`.
    static func install(words: [String]) throws(BackendError) -> [String] {
        let (directory, path) = location
        let text = try text(program: programPath, words: words)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let service = URL(fileURLWithPath: servicePath)
            try FileManager.default.createDirectory(
                at: service.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(serviceText(program: programPath).utf8).write(to: service)
        } catch {
            throw BackendError(
                code: .program(.notWritable), message: "could not write \(path) (\(error.localizedDescription)).")
        }
        // Without the user's systemd nothing else can be said of the unit.
        if let reason = systemctl(["daemon-reload"]) {
            throw notStarted(
                path, reason, next: "log in again, then run: systemctl --user enable --now \(name)")
        }
        if let reason = systemctl(["enable", name]) ?? systemctl(["restart", name]) {
            throw notStarted(path, reason, next: "see: systemctl --user status \(name)")
        }
        return ["Wrote \(path).", "The guard is running, and starts with every login."]
    }

    private static func notStarted(_ path: String, _ reason: String, next: String) -> BackendError {
        BackendError(
            code: .program(.notInstalled),
            message: "wrote \(path.printable), but systemd did not start the guard (\(reason)); \(next)")
    }

    /// - Throws: `BackendError`.
    static func uninstall() throws(BackendError) -> [String] {
        let (_, path) = location
        _ = systemctl(["stop", name])
        _ = systemctl(["disable", name])
        try? FileManager.default.removeItem(atPath: servicePath)
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

    /// Has the bus start the guard for a program that asks for the focus.
    ///
    /// - Parameter program: one that `text` takes.
    static func serviceText(program: String) -> String {
        """
        [D-BUS Service]
        Name=org.openavfaudio.Focus1
        Exec="\(program)" guard
        SystemdService=\(name)

        """
    }

    private static var servicePath: String {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? "")/.local/share"
        return data + "/dbus-1/services/org.openavfaudio.Focus1.service"
    }

    private static var location: (directory: String, path: String) {
        let environment = ProcessInfo.processInfo.environment
        let configuration = environment["XDG_CONFIG_HOME"] ?? "\(environment["HOME"] ?? "")/.config"
        let directory = configuration + "/systemd/user"
        return (directory, "\(directory)/\(name)")
    }

    static var programPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// In systemd's syntax, where % begins a specifier.
    private static func quoted(_ word: String) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        return "\"\(escaped)\""
    }

    /// - Returns: why it failed, in the first words of systemctl; nil where it did not.
    private static func systemctl(_ words: [String]) -> String? {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["systemctl", "--user"] + words
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return error.localizedDescription.printable
        }
        let bytes = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
        return line?.printable ?? "systemctl \(words[0]) ended with status \(process.terminationStatus)"
    }
}
