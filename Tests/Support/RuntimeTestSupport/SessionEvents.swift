import SceneCore
package import SessionCore
import SessionRuntime
import Synchronization

/// Keeps what a session saw.
package final class SessionEvents: SessionRecorder {
    private let events = Mutex<[SessionEvent]>([])

    package init() {}

    package var all: [SessionEvent] { events.withLock { $0 } }

    package func begin(on host: String, _ state: SessionState) {}

    package func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        events.withLock { $0.append(event) }
    }

    package func end() {}
}

extension [SceneHistory.Entry] {
    /// What the app was told and what its players did, with the causes, without the names of devices and programs.
    package var told: [String] {
        compactMap { entry in
            switch entry.what {
            case .event, .startRoute, .session: nil
            case .interruptionBegins(let cause): "interruption began: \(Self.word(cause))"
            case .player(let number, _, let state, let cause): "player \(number) \(state.rawValue): \(Self.word(cause))"
            default: entry.what.notice
            }
        }
    }

    private static func word(_ cause: SceneHistory.Cause) -> String { "\("\(cause)".prefix { $0 != "(" })" }
}
