package import AudioModel
internal import Foundation
package import SessionCore

/// What the environment asks of the program's session.
///
/// Nothing else in the library reads the `AUDIOSESSION_` variables.
package struct SessionEnvironment: Sendable {
    /// Decides the host where the program does not.
    package static let hostVariable = "AUDIOSESSION_HOST"
    /// Changes what other programs' streams mean; see docs/other-programs.md.
    package static let rolesVariable = "AUDIOSESSION_ROLES"
    /// Decides when a `multiRoute` session plays on the built-in speaker too.
    package static let multiRouteSpeakerVariable = "AUDIOSESSION_MULTIROUTE_SPEAKER"
    /// Names the file of the session's trace.
    package static let traceVariable = "AUDIOSESSION_TRACE"
    /// Decides whether names are in it.
    package static let traceNamesVariable = "AUDIOSESSION_TRACE_NAMES"

    private let values: [String: String]

    package init(_ values: [String: String] = ProcessInfo.processInfo.environment) { self.values = values }

    /// What the variables say.
    package struct Settings: Sendable {
        /// nil: the environment names none.
        package var host: HostChoice?
        package var roles = ForeignRoles.standard
        package var multiRouteSpeaker = MultiRouteSpeaker.onlyWhenAlone
        /// nil: no trace is written.
        package var trace: SessionTrace.Settings?
    }

    /// What all variables say.
    ///
    /// - Parameters:
    ///   - host: the program's own choice; the variable is then not read.
    ///   - onError: gets the error of each invalid variable, and what applies instead; it throws where nothing does.
    package func settings<Failure: Error>(
        host choice: HostChoice? = nil, onError: (SessionError, _ fallback: String) throws(Failure) -> Void
    ) throws(Failure) -> Settings {
        var settings = Settings(host: choice)
        if choice == nil { settings.host = try read(host, orUse: HostChoice.automatic.rawValue, onError) ?? nil }
        settings.roles = try read(roles, orUse: "the standard table", onError) ?? settings.roles
        settings.multiRouteSpeaker =
            try read(multiRouteSpeaker, orUse: "\(settings.multiRouteSpeaker)", onError) ?? settings.multiRouteSpeaker
        if let path = values[Self.traceVariable], !path.isEmpty {
            settings.trace = SessionTrace.Settings(path: path, pseudonyms: .ofProcess)
        }
        if let hasNames = try read(traceNames, orUse: "pseudonyms", onError) { settings.trace?.hasNames = hasNames }
        return settings
    }

    private func read<Value, Failure: Error>(
        _ value: () throws(SessionError) -> Value, orUse fallback: String,
        _ onError: (SessionError, _ fallback: String) throws(Failure) -> Void
    ) throws(Failure) -> Value? {
        do throws(SessionError) {
            return try value()
        } catch {
            try onError(error, fallback)
            return nil
        }
    }

    /// - Throws: `badParam` for a text that is no table of roles.
    package func roles() throws(SessionError) -> ForeignRoles {
        do {
            return try ForeignRoles(parsing: values[Self.rolesVariable] ?? "")
        } catch {
            throw SessionError(error.code, "\(Self.rolesVariable): \(error.message)")
        }
    }

    private func host() throws(SessionError) -> HostChoice? {
        let word = values[Self.hostVariable] ?? ""
        if word.isEmpty { return nil }
        guard let host = HostChoice(rawValue: word) else {
            throw Self.error(in: Self.hostVariable, word, allowed: HostChoice.allCases.map(\.rawValue))
        }
        return host
    }

    private func multiRouteSpeaker() throws(SessionError) -> MultiRouteSpeaker {
        try MultiRouteSpeaker(parsing: values[Self.multiRouteSpeakerVariable] ?? "")
    }

    private func traceNames() throws(SessionError) -> Bool {
        switch values[Self.traceNamesVariable] ?? "" {
        case "", "0": return false
        case "1": return true
        case let word: throw Self.error(in: Self.traceNamesVariable, word, allowed: ["0", "1"])
        }
    }

    fileprivate static func error(in variable: String, _ word: String, allowed: [String]) -> SessionError {
        SessionError(
            .badParam,
            "\(variable) is \"\(word.printable)\", which is not one of: \(allowed.joined(separator: ", ")). Set one of "
                + "these.")
    }
}

extension ForeignRoles {
    /// The standard table with what `text` changes, as in "Music=plays,Game=mixes".
    ///
    /// A later entry for the same role wins; an empty text changes nothing.
    /// Throws: `badParam` for what is no such list.
    package init(parsing text: String) throws(SessionError) {
        self = .standard
        let entries = text.split(separator: ",", omittingEmptySubsequences: true).map(\.trimmed)
        for entry in entries where !entry.isEmpty {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false).map(\.trimmed)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw SessionError(
                    .badParam,
                    "\"\(entry.printable)\" does not say what a role does. Allowed: ROLE=EFFECT, several separated by "
                        + "commas, with EFFECT one of \(Self.effectNames). Write, for example, Music=plays,Game=mixes.")
            }
            guard let effect = Effect(rawValue: parts[1].lowercased()) else {
                throw SessionError(
                    .badParam,
                    "\"\(parts[1].printable)\" is not an effect of role \"\(parts[0].printable)\". Allowed effects: "
                        + "\(Self.effectNames). Write, for example, \(parts[0].printable)=plays.")
            }
            setEffect(effect, ofRole: parts[0])
        }
    }

    private static var effectNames: String { Effect.allCases.map(\.rawValue).joined(separator: ", ") }
}

extension MultiRouteSpeaker {
    /// - Throws: `badParam` for a word that is none of the cases; an empty text is the default.
    package init(parsing text: String) throws(SessionError) {
        let word = text.lowercased()
        if word.isEmpty {
            self = .onlyWhenAlone
        } else if let choice = Self.allCases.first(where: { $0.rawValue.lowercased() == word }) {
            self = choice
        } else {
            throw SessionEnvironment.error(
                in: SessionEnvironment.multiRouteSpeakerVariable, text, allowed: Self.allCases.map(\.rawValue))
        }
    }
}
