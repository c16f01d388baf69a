package import AudioModel
import Foundation
package import SessionCore

/// Reads a trace of a session, and replays it.
package struct TraceReader {
    package struct Step: Sendable {
        package let event: SessionEvent
        package var effects: [SessionEffect] = []
        /// Events are missing before this one: from here on, a replay shows nothing.
        package let followsGap: Bool
    }

    package enum Ending: Equatable, Sendable {
        /// The session was shut down.
        case end(dropped: Int)
        case stopped(String)
    }

    package struct Format: Decodable {
        package let format, stability, library: String
        package let version: Int
        package let hasNames: Bool
    }

    package struct Session: Decodable {
        package let host: String
        package let roles: ForeignRoles
        package let multiRouteSpeaker: MultiRouteSpeaker
    }

    package struct Unreadable: Error { let line: String }

    private struct Line: Decodable {
        struct End: Decodable { let dropped: Int }
        let trace: Format?
        let session: Session?
        let event: SessionEvent?
        let effect: SessionEffect?
        let dropped: Int?
        let stopped: String?
        let end: End?
    }

    package let lines: [String]
    package let format: Format
    package private(set) var session: Session?
    package private(set) var steps: [Step] = []
    /// How many events are missing where, in order.
    package private(set) var gaps: [Int] = []
    /// Nil where the process ended without a shutdown, or goes on.
    package private(set) var ending: Ending?

    package init(path: String) throws {
        lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let decoded = try lines.map { try decoder.decode(Line.self, from: Data($0.utf8)) }
        guard let format = decoded.first?.trace else { throw Unreadable(line: lines.first ?? "") }
        self.format = format
        for (line, text) in zip(decoded, lines).dropFirst() {
            if let session = line.session {
                self.session = session
            } else if let event = line.event {
                steps.append(Step(event: event, followsGap: !gaps.isEmpty))
            } else if let effect = line.effect, !steps.isEmpty {
                steps[steps.count - 1].effects.append(effect)
            } else if let count = line.dropped {
                gaps.append(count)
            } else if let reason = line.stopped {
                ending = .stopped(reason)
            } else if let end = line.end {
                ending = .end(dropped: end.dropped)
            } else {
                throw Unreadable(line: text)
            }
        }
    }

    package var effects: [SessionEffect] { steps.flatMap(\.effects) }

    /// Every string in the events and effects.
    package func strings() throws -> Set<String> {
        func strings(_ value: Any) -> [String] {
            switch value {
            case let text as String: [text]
            case let list as [Any]: list.flatMap(strings)
            case let object as [String: Any]:
                (object["volumes"] as? [String: Any] ?? [:]).keys + object.values.flatMap(strings)
            default: []
            }
        }
        let words = try lines.dropFirst(2).flatMap { line in
            strings(try JSONSerialization.jsonObject(with: Data(line.utf8)))
        }
        return Set(words)
    }

    /// Applies the events before the first gap to a new machine.
    ///
    /// - Returns: the steps whose effects were others in the session that was traced. Without names, the texts of errors
    ///   do not count: a trace has pseudonyms for them.
    package func divergentSteps() -> [(recorded: Step, replayed: [SessionEffect])] {
        guard let session else { return [] }
        var machine = SessionMachine(roles: session.roles, multiRouteSpeaker: session.multiRouteSpeaker)
        return steps.prefix { !$0.followsGap }.compactMap { step in
            let replayed = machine.apply(step.event)
            let isSame =
                format.hasNames
                ? replayed == step.effects : replayed.map(\.withoutText) == step.effects.map(\.withoutText)
            return isSame ? nil : (step, replayed)
        }
    }
}

extension SessionEffect {
    fileprivate var withoutText: SessionEffect {
        switch self {
        case .reply(let call, let error): .reply(call, error.map { SessionError($0.code, "") })
        case .failPlayer(let id, let error): .failPlayer(id, SessionError(error.code, ""))
        default: self
        }
    }
}
