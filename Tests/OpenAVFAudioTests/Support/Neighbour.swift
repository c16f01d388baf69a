import AudioModel
import HostSimulated
import SessionCore

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A second app beside that of a `TestMachine`.
final class Neighbour {
    let runtime: SessionRuntime
    private let machine: TestMachine

    init(on machine: TestMachine, named name: String) throws {
        self.machine = machine
        runtime = try SessionRuntime(host: machine.host.anotherApp(named: name))
    }

    deinit { runtime.shutdown() }

    func activate(
        _ category: SessionCategory = .playback, mode: SessionMode = .default, options: SessionOptions = []
    ) throws {
        let configuration = SessionConfiguration(category: category, mode: mode, options: options)
        try runtime.perform { call, _ in .configurationRequested(call, configuration) }
        try runtime.perform { call, _ in .activationRequested(call) }
        settle()
    }

    func deactivate(notifyingOthers: Bool) throws {
        try runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: notifyingOthers) }
        settle()
    }

    /// What one app does the other hears of, and answers by letting go of its claim.
    private func settle() {
        for _ in 0..<3 {
            runtime.settle()
            machine.runtime.settle()
        }
    }
}
