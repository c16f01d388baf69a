extension AudioScene {
    /// Reads a scene from JSON; it has the words of the text in fields.
    ///
    /// - Throws: at the first value that says nothing known, with its place and what was possible there.
    public init(json: String) throws(SceneError) { self = try Self(JSONReader.read(json)) }

    init(_ root: SceneJSON) throws(SceneError) {
        var builder = SceneBuilder()
        let names = ["scene", "title", "link", "machine", "ports", "plugged", "lines"]
        try root.checkFields(names)
        for verb in ["scene", "title", "link", "machine"] {
            guard let value = root[verb] else { continue }
            let phrase = SceneGrammar.phrase(verb, in: SceneGrammar.header)
            let field = verb == "scene" ? "version" : verb
            let object = SceneJSON(value: .object([(field, value)]), position: value.position)
            try builder.add(header: Fields(phrase, object, ignoring: [], builder.devices), at: value.position)
        }
        for port in root["ports"]?.list ?? [] {
            let phrase = SceneGrammar.header.first { $0.names.contains { $0.name == "direction" } }
            guard let phrase else { continue }
            try builder.add(header: Fields(phrase, port, ignoring: [], builder.devices), at: port.position)
        }
        if let plugged = root["plugged"], !plugged.list.isEmpty {
            let phrase = SceneGrammar.phrase("plugged", in: SceneGrammar.header)
            let object = SceneJSON(value: .object([("devices", plugged)]), position: plugged.position)
            try builder.add(header: Fields(phrase, object, ignoring: [], builder.devices), at: plugged.position)
        }
        for line in root["lines"]?.list ?? [] { try line.addLine(to: &builder) }
        self = try builder.finish(at: root.position)
    }

    /// The scene as JSON that ``init(json:)`` reads as the same scene.
    public var json: String {
        var fields: [(String, String)] = [("scene", "\(Self.version)")]
        if !title.isEmpty { fields.append(("title", JSONText.string(title))) }
        if let link { fields.append(("link", JSONText.string(link))) }
        fields.append(("machine", JSONText.string(machine.rawValue)))
        if !ports.isEmpty { fields.append(("ports", JSONText.array(ports.map { Self.object([], $0.values) }))) }
        if !plugged.isEmpty { fields.append(("plugged", JSONText.array(plugged.map(JSONText.string)))) }
        let lines = self.lines.map { "    " + Self.object($0) }.joined(separator: ",\n")
        let head = fields.map { "  \(JSONText.string($0.0)): \($0.1)" }.joined(separator: ",\n")
        return "{\n\(head),\n  \"lines\": [\n\(lines)\n  ]\n}\n"
    }

    private static func object(_ line: Line) -> String {
        switch line.statement {
        case .event(let time, let actions):
            let spellings = actions.map(\.spelling)
            var fields = [("at", JSONText.string(time.spelling))]
            guard let first = spellings.first else { return JSONText.object(fields) }
            fields.append(("do", JSONText.string(first.verb)))
            let more = spellings.dropFirst().map { object([("do", JSONText.string($0.verb))], $0.values) }
            return object(fields, first.values, more.isEmpty ? [] : [("and", JSONText.array(more))])
        case .expectation(let expectation):
            let (verb, values) = expectation.spelling
            return object([("expect", JSONText.string(verb))], values)
        }
    }

    private static func object(
        _ first: [(String, String)], _ values: [String: [String]], _ last: [(String, String)] = []
    ) -> String {
        let fields = values.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { name, list in
            (name, list.count == 1 ? JSONText.string(list[0]) : JSONText.array(list.map(JSONText.string)))
        }
        return JSONText.object(first + fields + last)
    }
}

extension SceneJSON {
    fileprivate func checkFields(_ possible: [String]) throws(SceneError) {
        guard case .object(let fields) = value else { throw SceneError(position, found: kind, possible: ["{"]) }
        for field in fields where !possible.contains(field.name) {
            throw SceneError(field.value.position, found: field.name, possible: possible)
        }
    }

    fileprivate func addLine(to builder: inout SceneBuilder) throws(SceneError) {
        if self["expect"] != nil {
            let fields = try Fields(
                SceneGrammar.expectations, self, verb: "expect", ignoring: [], builder.devices)
            return try builder.add(expectation: fields, position.line)
        }
        guard let time = self["at"] else {
            throw SceneError(position, found: kind, possible: ["an object with \"at\"", "an object with \"expect\""])
        }
        let moment = try Fields(
            Phrase("<at:time>"), SceneJSON(value: .object([("at", time)]), position: time.position), ignoring: [],
            builder.devices)
        var actions: [Fields] = []
        actions.append(
            try Fields(SceneGrammar.actions, self, verb: "do", ignoring: ["at", "and"], builder.devices))
        for more in self["and"]?.list ?? [] {
            actions.append(try Fields(SceneGrammar.actions, more, verb: "do", ignoring: [], builder.devices))
        }
        try builder.add(event: moment, actions, position.line)
    }
}

extension Fields {
    /// - Parameter verb: the field that names the phrase.
    fileprivate init(
        _ phrases: [Phrase], _ object: SceneJSON, verb: String, ignoring: [String], _ devices: SceneBuilder.Devices
    ) throws(SceneError) {
        let verbs = phrases.map(\.verb)
        guard let named = object[verb] else {
            throw SceneError(object.position, found: object.kind, possible: ["an object with \"\(verb)\""])
        }
        guard let word = named.word, let phrase = phrases.first(where: { $0.verb == word }) else {
            throw SceneError(named.position, found: named.kind, possible: verbs)
        }
        try self.init(phrase, object, ignoring: ignoring + [verb], devices)
    }

    fileprivate init(
        _ phrase: Phrase, _ object: SceneJSON, ignoring: [String], _ devices: SceneBuilder.Devices
    ) throws(SceneError) {
        self.init(phrase, at: object.position)
        let names = phrase.names
        try object.checkFields(ignoring + names.map(\.name))
        for (name, type, isRepeated) in names {
            guard let value = object[name] else { continue }
            let list = value.list
            guard isRepeated || list.count == 1 else {
                throw SceneError(value.position, found: value.kind, possible: type.possible(devices: devices.all))
            }
            for element in list {
                guard let word = element.word, type.accepts(word, devices: devices.known) else {
                    throw SceneError(
                        element.position, found: element.kind, possible: type.possible(devices: devices.all))
                }
                values[name, default: []].append(Value(text: word, position: element.position))
            }
        }
        for name in phrase.required
            + phrase.pieces.compactMap({ if case .repeated(let name, _) = $0 { name } else { nil } })
        where values[name] == nil {
            throw SceneError(object.position, "the field \"\(name)\" is missing")
        }
        if values["from"] != nil, values["to"] == nil {
            throw SceneError(object.position, "the field \"to\" is missing")
        }
        if values["to"] != nil, values["from"] == nil {
            throw SceneError(object.position, "the field \"from\" is missing")
        }
    }
}

extension AudioScene: Codable {
    /// Reads the scene from its ``text``, one string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            self = try AudioScene(text: text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the scene as its ``text``, one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
