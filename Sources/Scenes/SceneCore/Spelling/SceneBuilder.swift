/// Makes a scene of the fields of its lines, in their order.
struct SceneBuilder {
    /// The devices that a line may name.
    struct Devices {
        var all = AudioScene.deviceNames
        var known = Set(AudioScene.deviceNames)

        mutating func add(_ name: String) { if known.insert(name).inserted { all.append(name) } }
    }

    private(set) var devices = Devices()
    private var scene = AudioScene()
    private var hasVersion = false
    private var lastTime = AudioScene.Time.zero
    private var apps: Set<String> = []
    private var programs: Set<String> = []

    private func value(_ name: String, _ fields: Fields) -> SourcePosition {
        fields.values[name]?.first?.position ?? fields.position
    }

    mutating func add(header fields: Fields, at position: SourcePosition) throws(SceneError) {
        switch fields.verb {
        case "scene":
            guard let version = fields.number("version"), version == 1 else {
                throw SceneError(
                    value("version", fields),
                    "version \(fields.text("version")) is not known; this library reads version \(AudioScene.version)")
            }
            hasVersion = true
        case "title": scene.title = fields.text("title")
        case "link": scene.link = fields.text("link")
        case "machine": scene.machine = AudioScene.Machine(rawValue: fields.text("machine")) ?? .phone
        case "plugged": scene.plugged += fields.all("devices")
        default: try add(port: fields)
        }
    }

    private mutating func add(port fields: Fields) throws(SceneError) {
        let port = AudioScene.Port(
            fields.text("name"), isInput: fields["direction"] == "input", kind: fields.text("kind"),
            label: fields["label"], channels: fields.number("channels").map(Int.init) ?? 2,
            hertz: fields.number("hertz"), device: fields["device"], jackOf: fields["jack"])
        guard port.channels <= 64 else {
            throw SceneError(value("channels", fields), "\(port.channels) channels; possible here: 1 to 64")
        }
        guard !devices.known.contains(port.name) else {
            throw SceneError(
                value("name", fields),
                "the name \"\(SceneError.shortened(port.name))\" stands for a port already; give this one another")
        }
        if let device = port.device,
            AudioScene.deviceNames.contains(device)
                || scene.ports.contains(where: { $0.name == device && ($0.device ?? $0.name) != device })
        {
            throw SceneError(
                value("device", fields),
                "the name \"\(SceneError.shortened(device))\" stands for a port already; give the device another")
        }
        if let socket = port.jackOf, !devices.known.contains(socket) {
            throw SceneError(value("jack", fields), found: socket, possible: devices.all)
        }
        try checkCount(scene.ports.count + 1, of: "ports", at: fields.position)
        scene.ports.append(port)
        devices.add(port.name)
        if let device = port.device { devices.add(device) }
    }

    mutating func add(event time: Fields, _ actions: [Fields], _ number: Int) throws(SceneError) {
        let moment = time.time("at") ?? .zero
        guard moment >= lastTime else {
            throw SceneError(
                value("at", time),
                "\(moment.spelling) is before \(lastTime.spelling) of the event above; write the lines in the order of their times"
            )
        }
        lastTime = moment
        let events = actions.map(AudioScene.Action.init)
        for event in events { count(event) }
        try checkCount(apps.count, of: "other apps at a time", at: time.position)
        try checkCount(programs.count, of: "programs at a time", at: time.position)
        try add(.init(.event(moment, events), number: number), at: time.position)
    }

    private mutating func count(_ event: AudioScene.Action) {
        switch event {
        case .appTakes(let name, _): apps.insert(name)
        case .appLeaves(let name, _), .appKilled(let name): apps.remove(name)
        case .programPlays(let name, _): programs.insert(name)
        case .programStops(let name): programs.remove(name)
        case .serverCrashes: (apps, programs) = ([], [])
        default: break
        }
    }

    private func checkCount(_ count: Int, of what: String, at position: SourcePosition) throws(SceneError) {
        guard count <= AudioScene.maximumParties else {
            throw SceneError(position, "a scene has at most \(AudioScene.maximumParties) \(what)")
        }
    }

    mutating func add(expectation fields: Fields, _ number: Int) throws(SceneError) {
        if let start = fields.time("from"), let end = fields.time("to"), start >= end {
            throw SceneError(
                value("to", fields),
                "from \(start.spelling) to \(end.spelling) has no length; write the earlier time first")
        }
        if fields["within"] != nil, fields["from"] != nil {
            throw SceneError(value("from", fields), "an expectation has \"within\" or \"from … to\", not both")
        }
        try add(.init(.expectation(AudioScene.Expectation(fields)), number: number), at: fields.position)
    }

    private mutating func add(_ line: AudioScene.Line, at position: SourcePosition) throws(SceneError) {
        guard scene.lines.count < AudioScene.maximumLines else {
            throw SceneError(position, "a scene has at most \(AudioScene.maximumLines) lines")
        }
        scene.lines.append(line)
    }

    func finish() throws(SceneError) -> AudioScene {
        guard hasVersion else {
            throw SceneError(.start, "a scene begins with its version; write \"scene 1\" into the first line")
        }
        return scene
    }
}
