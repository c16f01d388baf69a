import ArgumentParser
import Glibc
import ProgramRuntime

/// `audiosession effects`.
struct EffectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects",
        abstract: "List effects, or show the settings of one.",
        discussion: """
            Effects are those of this library and LV2 plug-ins. 'audiosession play --effect' uses them.

            EXAMPLES
              audiosession effects
              audiosession effects mda-delay
              audiosession play song.flac --effect mda-delay:l_delay=0.3
            """)

    @Argument(
        help: ArgumentHelp("The effect whose settings to show; part of a name is enough.", valueName: "name"),
        completion: .custom { _, _, _ in EffectListing.all.map(\.word) })
    var name: String?

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func run() throws {
        LibraryNotes.divert { DescriptorOutput(STDERR_FILENO).writeLine($0.printable) }
        let report = try EffectText(
            listings: name.map { [try EffectChoice.listing($0)] } ?? EffectListing.all, isDetailed: name != nil,
            missing: EffectListing.failure)
        try DescriptorOutput.print(json ? [report.json.text] : report.lines)
    }
}

/// What `audiosession effects` prints.
struct EffectText {
    var listings: [EffectListing]
    /// With the settings of each.
    var isDetailed: Bool
    /// Why there are no plug-ins; nil where lilv is there.
    var missing: String?

    var lines: [String] { isDetailed ? listings.flatMap(details) : overview }

    private var overview: [String] {
        let rows = listings.map { [$0.word, $0.name, $0.maker, $0.category, $0.uri == nil ? "" : "LV2"] }
        var lines = rows.isEmpty ? [] : Table(header: ["EFFECT", "NAME", "MAKER", "KIND", ""], rows: rows).lines
        if let missing {
            lines += [
                "",
                "LV2 plug-ins are not listed: \(missing.printable). Install liblilv-0-0 (apt-get install liblilv-0-0).",
            ]
        } else if !listings.contains(where: { $0.uri != nil }) {
            lines += ["", "No LV2 plug-ins are installed. Debian has some in the packages mda-lv2 and x42-plugins."]
        }
        return lines
    }

    private func details(_ listing: EffectListing) -> [String] {
        let unit = listing.make()
        let rows = unit.parameters.map { parameter in
            [
                parameter.identifier, parameter.name,
                "\(Self.number(parameter.range.lowerBound)) to \(Self.number(parameter.range.upperBound))",
                Self.number(unit.value(at: parameter.address) ?? parameter.defaultValue),
                parameter.isWritable ? Self.unit(parameter.unit) : "measured",
                parameter.valueNames.enumerated().map {
                    "\(Self.number(parameter.range.lowerBound + Float($0.offset))) \($0.element)"
                }.joined(separator: ", "),
            ]
        }
        let head = ["\(listing.name)\(listing.maker.isEmpty ? "" : ", \(listing.maker)")", listing.uri ?? ""]
        guard !rows.isEmpty else { return head.filter { !$0.isEmpty } + ["It has no settings."] }
        let table = Table(header: ["SETTING", "NAME", "VALUES", "DEFAULT", "UNIT", ""], rows: rows)
        return head.filter { !$0.isEmpty } + [""] + table.lines
    }

    /// Without digits that say nothing.
    static func number(_ value: Float) -> String {
        let text = Double(value).fixed(abs(value) < 10 ? 3 : 1)
        guard text.contains(".") else { return text }
        let short = text.reversed().drop { $0 == "0" }
        return String((short.first == "." ? short.dropFirst() : short).reversed())
    }

    private static func unit(_ unit: EffectListing.ParameterUnit) -> String {
        switch unit {
        case .generic, .indexed, .rate, .linearGain, .equalPowerCrossfade, .pan, .ratio: ""
        case .boolean: "0 or 1"
        case .percent: "%"
        case .seconds: "s"
        case .sampleFrames: "frames"
        case .phase, .degrees: "degrees"
        case .hertz: "Hz"
        case .cents: "cents"
        case .semitones: "semitones"
        case .midiNote: "note"
        case .decibels: "dB"
        case .meters: "m"
        case .octaves: "octaves"
        case .beatsPerMinute: "bpm"
        case .beats: "beats"
        case .milliseconds: "ms"
        }
    }

    var json: JSONValue {
        .fields([
            "effects": .array(
                listings.map { listing in
                    .fields([
                        "effect": .string(listing.word), "name": .string(listing.name), "maker": .string(listing.maker),
                        "kind": .string(listing.category), "uri": listing.uri.map { .string($0) } ?? .null,
                        "settings": isDetailed ? .array(listing.make().parameters.map(Self.json)) : .null,
                    ])
                })
        ])
    }

    private static func json(_ parameter: EffectListing.Parameter) -> JSONValue {
        .fields([
            "setting": .string(parameter.identifier), "name": .string(parameter.name),
            "least": .number(Double(parameter.range.lowerBound), digits: 6),
            "most": .number(Double(parameter.range.upperBound), digits: 6),
            "default": .number(Double(parameter.defaultValue), digits: 6), "unit": .string(unit(parameter.unit)),
            "canBeSet": .bool(parameter.isWritable),
            "values": .array(parameter.valueNames.map { .string($0) }),
        ])
    }
}
