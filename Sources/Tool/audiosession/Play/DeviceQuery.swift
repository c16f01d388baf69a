import OpenAudioSession

/// Finds the output or the input that a person names.
struct DeviceQuery {
    /// The outputs that the category can use.
    var usable: [PortFacts]
    /// All connected outputs.
    var connected: [PortFacts]
    var category: AVAudioSession.Category
    /// What the ports are, in the singular.
    var noun = "output"

    /// The output with this uid, else with this name in any case.
    ///
    /// - Parameter allowsPortTypes: "HDMI" also means the first output of that type, if no output has that name.
    /// - Throws: `BackendError` listing the outputs if none or several match.
    func resolve(_ text: String, allowsPortTypes: Bool = false) throws(BackendError) -> PortFacts {
        if let exact = usable.first(where: { $0.uid == text }) { return exact }
        let named = usable.filter { $0.name.lowercased() == text.lowercased() }
        if named.count == 1 { return named[0] }
        if allowsPortTypes, let type = PortTypeWords.type(for: text),
            let first = usable.first(where: { $0.portType == type.rawValue })
        {
            return first
        }
        guard named.isEmpty else {
            throw BackendError(
                .ambiguousDevice,
                "'\(text.printable)' matches \(named.count) \(noun)s; give the uid of one: "
                    + "\(Self.list(named)).")
        }
        throw missing(text, allowsPortTypes)
    }

    /// - Throws: `BackendError` if no output has this type.
    func expect(_ type: AVAudioSession.Port) throws(BackendError) {
        guard !usable.contains(where: { $0.portType == type.rawValue }) else { return }
        let usable = usable.map { port in
            let type = PortTypeWords.type(for: port.portType).map(PortTypeWords.word) ?? port.portType
            return "'\(port.name.printable)' (\(type.printable))"
        }
        throw BackendError(
            .noSuchDevice,
            "no \(PortTypeWords.word(for: type)) output is connected that category \(categoryWord) can use. "
                + "Usable outputs: \(usable.isEmpty ? "none" : usable.joined(separator: ", ")). "
                + "Connect one, or choose another output with --port-type or --device.")
    }

    private func missing(_ text: String, _ allowsPortTypes: Bool) -> BackendError {
        guard !connected.isEmpty else {
            return BackendError(
                .noSuchDevice,
                "there is no \(noun) '\(text.printable)', and no other \(noun) is connected; "
                    + "run 'audiosession doctor' to find the reason.")
        }
        let type = allowsPortTypes ? PortTypeWords.type(for: text) : nil
        let unusable = connected.first {
            $0.uid == text || $0.name.lowercased() == text.lowercased() || $0.portType == type?.rawValue
        }
        if let unusable {
            return BackendError(
                .noSuchDevice,
                "'\(unusable.name.printable)' is connected, but category \(categoryWord) cannot use it now. "
                    + "Usable outputs: \(usable.isEmpty ? "none" : Self.list(usable)). "
                    + advice(
                        allowsPortTypes, isSpeaker: unusable.portType == AVAudioSession.Port.builtInSpeaker.rawValue))
        }
        let words = usable.flatMap { [$0.name, $0.uid] } + (allowsPortTypes ? PortTypeWords.words : [])
        let hint = type == nil ? Spelling.nearest(to: text, in: words) : nil
        return BackendError(
            .noSuchDevice,
            "there is no \(noun) '\(text.printable)'."
                + (hint.map { " Did you mean '\($0.printable)'?" } ?? "") + " Connected \(noun)s: "
                + (usable.isEmpty
                    ? "none that category \(categoryWord) can use. \(advice(allowsPortTypes))"
                    : "\(Self.list(usable)). Give the name or uid of one."))
    }

    /// What to do if the category cannot use an output.
    ///
    /// Files with their own outputs always play in multiRoute, so another category is no advice for them.
    private func advice(_ allowsPortTypes: Bool, isSpeaker: Bool = false) -> String {
        if isSpeaker, category == .multiRoute {
            return
                "The speaker plays beside other outputs if AUDIOSESSION_MULTIROUTE_SPEAKER=always is set and none of them "
                + "is on the same jack."
        }
        return switch (usable.isEmpty, allowsPortTypes) {
        case (false, false): "Choose one of these, or another --category."
        case (false, true): "Choose one of these."
        case (true, false): "Choose another --category."
        case (true, true): "Connect a wired output."
        }
    }

    private var categoryWord: String { SessionWords.categories.word(for: category) }

    private static func list(_ ports: [PortFacts]) -> String {
        ports.map { "'\($0.name.printable)' (uid \($0.uid.printable))" }.joined(separator: ", ")
    }
}
