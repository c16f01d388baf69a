/// The method behind a remote command.
struct CommandHandler {
    let name: String
    /// Nil where it takes no event.
    let event: (label: String?, type: String)?
    let answers: Bool

    /// The parameter and the body.
    func closure(calling object: String) -> String {
        let argument = event.map { event in
            let value = event.type == "MPRemoteCommandEvent" ? "event" : "event as! \(event.type)"
            return event.label.map { "\($0): \(value)" } ?? value
        }
        let call = "\(object)?.\(name)(\(argument ?? ""))"
        return (event == nil ? "_ in " : "event in ")
            + (answers ? "\(call) ?? .commandFailed" : "\(call); return .success")
    }
}

extension SourceText {
    /// The function that a selector names, where it is declared here with nothing or an event as its parameter.
    func commandHandler(_ reference: String) -> CommandHandler? {
        let path = reference.split(separator: "(")[0].split(separator: ".").map(String.init)
        guard path.count > 1, let name = path.last, let type = path.dropLast().last else { return nil }
        let scopes = scopes()
        for call in calls(of: name) where lineBefore(call.whole.lowerBound).trimmed.hasSuffix("func") {
            guard
                scopes.last(where: { $0.body.contains(call.whole.lowerBound) })?.type.split(separator: ".").last
                    .map(String.init) == type,
                let body = code[call.whole.upperBound...].firstIndex(of: UInt8(ascii: "{"))
            else { continue }
            let parameters = code(call.argument).split(separator: ":").map { String($0).trimmed }
            let answers = code(call.whole.upperBound..<body).contains("MPRemoteCommandHandlerStatus")
            if parameters.isEmpty { return CommandHandler(name: name, event: nil, answers: answers) }
            let names = parameters[0].split(separator: " ").map(String.init)
            guard parameters.count == 2, let label = names.first, parameters[1].hasSuffix("Event") else { return nil }
            return CommandHandler(name: name, event: (label == "_" ? nil : label, parameters[1]), answers: answers)
        }
        return nil
    }
}
