internal import AudioModel
internal import SessionCore
internal import Synchronization

/// What one reader was told last, to tell news from the rest.
final class NewestOutputs: Sendable {
    private struct Told: Equatable {
        var usable: [AudioModel.Port]
        var current: [AudioModel.Port]
    }

    private let told = Mutex<Told?>(nil)

    func isNews(_ state: SessionState) -> Bool {
        let now = Told(usable: state.usableOutputs.map(\.shown), current: state.currentOutputs.map(\.shown))
        return told.withLock { told in
            defer { told = now }
            return told != now
        }
    }
}

extension AudioModel.Port {
    /// Servers learn a rate, and forget it, while a device stays what it is.
    fileprivate var shown: Self {
        var port = self
        port.sampleRate = nil
        return port
    }
}

extension SessionState {
    /// Where sound goes: under `multiRoute` the chosen output or its stand-in, and all of the route where nobody chose.
    var currentOutputs: [AudioModel.Port] {
        let isAutomatic = appChoice == .automatic && chosenOutputUID == nil
        guard configuration.category == .multiRoute, !isAutomatic else { return route.outputs }
        return (chosenOutput ?? route.outputs.first).map { [$0] } ?? []
    }
}
