import AudioRuntime
import Foundation
import Glibc
import ProgramRuntime

/// What the sound server needs from the machine.
struct EnvironmentFacts: Hashable, Sendable {
    /// `XDG_RUNTIME_DIR`, the folder of the server's socket.
    var runtimeDirectory: String?
    var hasSocket: Bool
    /// The user whom the server's socket belongs to, or the directory where it would be; nil where that is this one.
    var socketOwner: String?
    /// PulseAudio's own daemon runs, which takes the devices.
    var hasPulseAudio = false
    var hasServerProgram: Bool
    var hasSessionManagerProgram: Bool
    /// The highest real-time priority that this user may request; 0 for none.
    var realTimeLimit: Int
    /// How many files a process of this user may have open.
    var openFileLimit: Int
    /// How many bytes of addresses a process of this user may reserve.
    var addressSpaceLimit = Int.max
    var hasFFmpeg = true
    var hasSoundTouch = true
    var hasEspeakNG = true
    /// The text of /etc/os-release; nil if there is none.
    var osRelease: String?
    /// What the running guard says of itself; nil where none is running.
    var guardStatus: [String]?
    /// The ports that a guard which was killed has left muted; untrusted texts.
    var leftMutes: Set<String> = []

    static func gather(environment: [String: String] = ProcessInfo.processInfo.environment) -> EnvironmentFacts {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
        let directory = environment["PIPEWIRE_RUNTIME_DIR"] ?? environment["XDG_RUNTIME_DIR"]
        let remote = environment["PIPEWIRE_REMOTE"] ?? "pipewire-0"
        let socket = remote.hasPrefix("/") ? remote : "\(directory ?? "")/\(remote)"
        let path = environment["PATH"] ?? ""
        return EnvironmentFacts(
            runtimeDirectory: directory, hasSocket: access(socket, F_OK) == 0,
            socketOwner: otherOwner(of: socket) ?? directory.flatMap(otherOwner),
            hasPulseAudio: environment["XDG_RUNTIME_DIR"].map(isPulseAudioRunning) ?? false,
            hasServerProgram: isInstalled("pipewire", path: path),
            hasSessionManagerProgram: isInstalled("wireplumber", path: path),
            realTimeLimit: Int(clamping: limit.rlim_cur), openFileLimit: ProcessLimit.openFiles.current,
            addressSpaceLimit: ProcessLimit.addressSpace.current,
            hasFFmpeg: FilePlayer.hasFFmpeg, hasSoundTouch: FilePlayer.rateProblem == nil,
            hasEspeakNG: isInstalled("espeak-ng", path: path),
            osRelease: try? String(contentsOfFile: "/etc/os-release", encoding: .utf8),
            guardStatus: GuardControl.status,
            leftMutes: MutedPorts.load())
    }

    /// One command; pipewire-pulse serves the programs that PulseAudio did.
    var pulseAudioRemedy: String {
        "PulseAudio has the devices; have PipeWire take its place: "
            + installCommand(.pipeWire, .pipeWirePulse, .wirePlumber)
            + " && systemctl --user mask --now pulseaudio.socket pulseaudio.service"
            + " && systemctl --user enable --now pipewire pipewire-pulse wireplumber"
    }

    func installCommand(_ packages: SystemPackage...) -> String {
        SystemPackage.installCommand(packages, osRelease: osRelease)
    }

    /// The user's name, or number; nil for a path that is not there, and for our own.
    private static func otherOwner(of path: String) -> String? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_uid != geteuid() else { return nil }
        return getpwuid(facts.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(facts.st_uid)"
    }

    /// PipeWire's replacement writes the same file, and has another name.
    static func isPulseAudioRunning(inDirectory directory: String) -> Bool {
        func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
        let process = text(directory + "/pulse/pid").flatMap { Int32($0.prefix(while: \.isNumber)) }
        return process.flatMap { text("/proc/\($0)/comm") } == "pulseaudio\n"
    }

    private static func isInstalled(_ program: String, path: String) -> Bool {
        path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
