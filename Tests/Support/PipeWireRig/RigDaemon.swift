import CRig
import Foundation

/// One child process of the rig.
///
/// The kernel kills it when this process ends, however it ends.
struct RigDaemon: Sendable {
    let name: String
    let processID: Int32

    /// Starts a program; `readyDescriptor` becomes its descriptor 3.
    static func start(
        _ program: String, arguments: [String] = [], in directory: RigDirectory, environment: [String: String],
        programDirectories: [String], readyDescriptor: Int32 = -1
    ) throws(RigError) -> RigDaemon {
        let file = try find(program, in: programDirectories)
        let argumentList = ([program] + arguments).map { strdup($0) } + [nil]
        let environmentList = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argumentList + environmentList).forEach { free($0) } }
        let result = oav_rig_spawn(file, argumentList, environmentList, directory.log(of: program), readyDescriptor)
        guard result > 0 else { throw .failed(operation: "Starting \(file)", code: result) }
        return RigDaemon(name: program, processID: result)
    }

    private static func find(_ program: String, in directories: [String]) throws(RigError) -> String {
        for directory in directories where access("\(directory)/\(program)", X_OK) == 0 {
            return "\(directory)/\(program)"
        }
        let packages = ["pipewire": "pipewire-bin"]
        throw .programMissing(
            program: program, package: packages[program] ?? program, searched: directories)
    }

    /// Ends the process, kindly at first, and reaps it.
    func stop() {
        if !end(with: SIGTERM, within: .seconds(3)) {
            kill()
        }
    }

    /// Kills the process and reaps it.
    func kill() {
        // SIGKILL cannot be refused, so the deadline only bounds the damage of a process stuck in the kernel.
        _ = end(with: SIGKILL, within: .seconds(30))
    }

    /// Reaps the process if it ends by itself within the time.
    func waitForExit(within timeout: Duration) -> Bool {
        var status: Int32 = 0
        return oav_rig_wait_for_exit(processID, timeout.nanoseconds, &status) == 0
    }

    /// Reaps the process where it has ended already, by a signal from elsewhere.
    func hasCrashed() -> Bool {
        var status: Int32 = 0
        return oav_rig_wait_for_exit(processID, 0, &status) == 0 && status & 0x7f != 0
    }

    private func end(with signal: Int32, within timeout: Duration) -> Bool {
        Foundation.kill(processID, signal)
        return waitForExit(within: timeout)
    }
}
