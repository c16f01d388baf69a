import Foundation
import Glibc

/// The systemd user unit that runs the guard, which a package brings or `guard install` writes; an autostart entry where there
/// is no systemd.
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
                .notInstalled,
                "this program is at '\(program.printable)', and systemd does not start programs with a "
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
            # Each stream that is held or lowered has some; without any left, the guard loses the server.
            LimitNOFILE=65536
            # A backtrace would keep a guard that crashes, and what it holds, for many seconds.
            Environment=SWIFT_BACKTRACE=enable=no
            # The guard asks for the watchdog while a hung guard would do harm.
            WatchdogSignal=SIGKILL
            # It talks to local sockets alone, and starts no programs with more rights. PrivateTmp and other settings that need a
            # user namespace are left out: in one, it could not read which program a stream is of. It writes nothing to /tmp.
            NoNewPrivileges=yes
            RestrictAddressFamilies=AF_UNIX
            RestrictNamespaces=yes
            RestrictSUIDSGID=yes
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallErrorNumber=EPERM
            UMask=0077

            [Install]
            WantedBy=pipewire.service

            """
    }

    /// Enables and starts the unit: the package's, or one that it writes for the user.
    ///
    /// - Parameter startsNow: whether the guard is started also where there is no systemd.
    /// - Throws: `BackendError`.
    static func install(words: [String], startsNow: Bool = false) throws(BackendError) -> [String] {
        if !hasSystemd, systemctl(["daemon-reload"]) != nil {
            let lines = try installAutostart(words: words)
            guard startsNow else { return lines + ["To start it now: audiosession guard"] }
            _ = try FocusRun.startServer(["guard", "run"] + words)
            return lines + ["The guard is running, and starts with every login to a desktop."]
        }
        let isPackaged = words.isEmpty && FileManager.default.fileExists(atPath: packagedPath)
        // One of the user's own would hide the package's.
        if isPackaged { try? FileManager.default.removeItem(atPath: path) }
        if !isPackaged { try UserFile.write(try text(program: programPath, words: words), to: path) }
        try UserFile.write(serviceText(program: programPath), to: servicePath)
        let unit = isPackaged ? packagedPath : path
        // Without the user's systemd nothing else can be said of the unit.
        if let reason = systemctl(["daemon-reload"]) {
            throw notStarted(unit, reason, next: "log in again, then run: systemctl --user enable --now \(name)")
        }
        _ = try? GuardControl.stop(keepsHolds: true)
        if let reason = systemctl(["enable", name]) ?? systemctl(["restart", name]) {
            throw notStarted(unit, reason, next: "see: systemctl --user status \(name)")
        }
        return [
            isPackaged ? "Enabled \(unit)." : "Wrote \(unit).", "The guard is running, and starts with every login.",
        ]
    }

    private static func installAutostart(words: [String]) throws(BackendError) -> [String] {
        try UserFile.write(autostartText(program: programPath, words: words), to: autostartPath)
        return [
            "There is no systemd here. Wrote \(autostartPath): the guard starts with every login to a desktop."
        ]
    }

    private static func notStarted(_ path: String, _ reason: String, next: String) -> BackendError {
        BackendError(.notInstalled, "systemd did not start the guard of \(path.printable) (\(reason)); \(next)")
    }

    /// - Throws: `BackendError`.
    static func uninstall() throws(BackendError) -> [String] {
        let ended = (try? GuardControl.stop(keepsHolds: false)) ?? []
        _ = systemctl(["stop", name])
        _ = systemctl(["disable", name])
        try? FileManager.default.removeItem(atPath: servicePath)
        let files = [path, autostartPath].filter { FileManager.default.fileExists(atPath: $0) }
        for file in files { try UserFile.remove(file) }
        _ = systemctl(["daemon-reload"])
        if FileManager.default.fileExists(atPath: packagedPath) {
            return ended + files.map { "Removed \($0)." } + ["The guard is disabled; its unit stays with the package."]
        }
        return ended + (files.isEmpty ? ["There is no unit \(path)."] : files.map { "Removed \($0)." })
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

    /// For desktops without systemd.
    ///
    /// Source: Desktop Entry Specification 1.5, "The Exec key", for the quoting.
    static func autostartText(program: String, words: [String]) -> String {
        let command = ([program, "guard"] + words).map { word in
            let escaped = word.reduce(into: "") { $0 += "\"`$\\".contains($1) ? "\\\($1)" : "\($1)" }
            return "\"\(escaped.replacing("%", with: "%%"))\""
        }
        // A backslash is one of the file's, too.
        return """
            [Desktop Entry]
            Type=Application
            Name=audiosession guard
            Comment=Pause programs when headphones leave
            Exec=\(command.joined(separator: " ").replacing("\\", with: "\\\\"))
            NoDisplay=true

            """
    }

    private static var servicePath: String {
        UserFile.folder("XDG_DATA_HOME", ".local/share") + "/dbus-1/services/org.openavfaudio.Focus1.service"
    }

    private static var path: String { UserFile.folder("XDG_CONFIG_HOME", ".config") + "/systemd/user/\(name)" }

    private static var autostartPath: String {
        UserFile.folder("XDG_CONFIG_HOME", ".config") + "/autostart/audiosession-guard.desktop"
    }

    /// What a package, or `dev/install`, has put beside this program.
    private static var packagedPath: String {
        URL(fileURLWithPath: programPath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("lib/systemd/user/\(name)").path
    }

    /// One that is not the system's own may answer all the same.
    ///
    /// Source: sd_booted(3).
    private static var hasSystemd: Bool { FileManager.default.fileExists(atPath: "/run/systemd/system") }

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
