package import AudioModel
import HostSimulated
internal import SessionRest
package import SessionRuntime
import SimulatedControls

/// A second app beside that of a `RuntimeMachine`.
package final class Neighbour {
    package let runtime: SessionRuntime
    private let machine: RuntimeMachine

    package init(on machine: RuntimeMachine, named name: String) throws {
        self.machine = machine
        runtime = try SessionRuntime(host: machine.host.anotherApp(named: name))
    }

    deinit { runtime.shutdown() }

    package func activate(
        _ category: SessionCategory = .playback, mode: SessionMode = .default, options: SessionOptions = []
    ) throws {
        let configuration = SessionConfiguration(category: category, mode: mode, options: options)
        try runtime.perform { call, _ in .configurationRequested(call, configuration) }
        try runtime.perform { call, _ in .activationRequested(call) }
        settle()
    }

    package func deactivate(notifyingOthers: Bool) throws {
        try runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: notifyingOthers) }
        settle()
    }

    /// One app learns of what the other did, and answers by releasing its claim.
    private func settle() {
        for _ in 0..<3 {
            runtime.drain()
            machine.runtime.drain()
        }
    }
}
