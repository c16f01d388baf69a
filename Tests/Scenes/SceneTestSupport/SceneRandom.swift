package import SceneCore
import TestSupport

/// Makes random scenes of the whole grammar: the same seed gives the same scene.
package struct SceneRandom {
    private var numbers: Seeded

    package init(seed: UInt64) { numbers = Seeded(seed: seed) }

    private mutating func below(_ limit: Int) -> Int { Int(numbers.next() % UInt64(max(1, limit))) }

    private mutating func element<T>(of list: [T]) -> T { list[below(list.count)] }

    /// A scene of up to 30 lines that says anything that a scene can say.
    package mutating func scene() -> AudioScene {
        var scene = AudioScene(
            title: element(of: ["", "A title", "quo\"te \\ \u{202E}x\u{301} é 🎧\n"]),
            link: element(of: [nil, "https://example.org/issues/1"]), machine: element(of: AudioScene.Machine.allCases))
        for index in 0..<below(3) {
            scene.ports.append(
                .init(
                    element(of: ["port-", "p \"\\ "]) + "\(index)", isInput: below(3) == 0,
                    kind: element(of: SceneGrammar.kinds), label: element(of: [nil, "A card", ""]),
                    channels: 1 + below(8), hertz: element(of: [nil, 44100, 7350.5]),
                    device: element(of: [nil, "card-\(index)"])))
        }
        let known = scene.knownDevices
        scene.plugged = (0..<below(3)).map { _ in element(of: known) }
        var time = AudioScene.Time.zero
        for _ in 0..<below(30) {
            if below(3) == 0 {
                let fields = fields(of: element(of: SceneGrammar.expectations), known)
                scene.lines.append(.init(.expectation(AudioScene.Expectation(fields))))
            } else {
                time = time + AudioScene.Time(microseconds: below(4) == 0 ? 0 : below(3_000_000))
                let actions = (0...below(2)).map { _ in
                    AudioScene.Action(fields(of: element(of: SceneGrammar.actions), known))
                }
                scene.lines.append(.init(.event(time, actions)))
            }
        }
        return scene
    }

    private mutating func fields(of phrase: Phrase, _ devices: [String]) -> Fields {
        var fields = Fields(phrase, at: .start)
        fill(phrase.pieces, devices, &fields)
        if fields["within"] != nil { (fields.values["from"], fields.values["to"]) = (nil, nil) }
        // In real time.
        if phrase.verb == "observers take" {
            fields.values["time"] = [.init(text: "\(below(300))us", position: .start)]
        }
        if let start = fields.time("from"), let end = fields.time("to"), start >= end {
            let later = start + AudioScene.Time(microseconds: 1 + below(1000))
            fields.values["to"] = [.init(text: later.spelling, position: .start)]
        }
        return fields
    }

    private mutating func fill(_ pieces: [Phrase.Piece], _ devices: [String], _ fields: inout Fields) {
        for piece in pieces {
            switch piece {
            case .word: break
            case .value(let name, let type): add(name, type, devices, &fields)
            case .repeated(let name, let type): for _ in 0...below(2) { add(name, type, devices, &fields) }
            case .optional(let inner): if below(2) == 0 { fill(inner, devices, &fields) }
            }
        }
    }

    private mutating func add(_ name: String, _ type: Phrase.ValueType, _ devices: [String], _ fields: inout Fields) {
        let text: String
        switch type {
        case .time: text = AudioScene.Time(microseconds: below(3_000_000)).spelling
        case .number, .count: text = "\(1 + below(8))"
        case .percent: text = element(of: ["0%", "37.5%", "100%", "33.3333%"])
        case .hertz: text = element(of: ["44100Hz", "8000Hz", "768000Hz", "11025.25Hz"])
        case .decibels: text = "\(-below(100))dB"
        case .name: text = element(of: ["Browser", "Music", "and", "with \"quotes\"", "", "Telefon 📞"])
        case .device: text = element(of: devices)
        case .choice(let words): text = element(of: words)
        }
        fields.values[name, default: []].append(.init(text: text, position: .start))
    }
}
