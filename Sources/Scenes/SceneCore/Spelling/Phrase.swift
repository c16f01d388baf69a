/// One form that a line, or a part of it, can have: words, places for values, and parts that may be missing.
///
/// It is read from a pattern: `"volume <device:device> <percent:percent> [<muted:muted>]"`. A value is `<name:type>`; a type that
/// is not among `ValueType` is its own list of words, separated by `/`. `[…]` may be missing, `{…}` may be there any number of
/// times. A scene is read and written by it.
package struct Phrase: Hashable, Sendable {
    package indirect enum Piece: Hashable, Sendable {
        case word(String)
        case value(String, ValueType)
        case optional([Piece])
        case repeated(String, ValueType)
    }

    /// What a value may be.
    package enum ValueType: Hashable, Sendable {
        case time, number, percent, hertz, decibels, count
        /// A word, or anything in quotation marks.
        case name
        case device
        /// One of these; each may have several words.
        case choice([String])
    }

    /// The words that are always there: what the phrase is called.
    package let verb: String
    package let pieces: [Piece]

    init(_ pattern: String) {
        var words = Self.parts(of: pattern)[...]
        pieces = Self.pieces(&words)
        let fixed = pieces.compactMap { if case .word(let word) = $0, word != "," { word } else { nil } }
        verb = fixed.isEmpty ? "output" : fixed.joined(separator: " ")
    }

    // MARK: The pattern

    /// Words, `<…>`, brackets and commas; a value may have spaces in it.
    private static func parts(of pattern: String) -> [String] {
        var parts: [String] = []
        var current = ""
        var isInValue = false
        func finish() {
            if !current.isEmpty { parts.append(current) }
            current = ""
        }
        for character in pattern {
            switch character {
            case "<":
                finish()
                isInValue = true
            case ">":
                isInValue = false
                parts.append("<" + current)
                current = ""
            case _ where isInValue: current.append(character)
            case " ": finish()
            case "[", "]", "{", "}", ",":
                finish()
                parts.append(String(character))
            default: current.append(character)
            }
        }
        finish()
        return parts
    }

    private static func pieces(_ parts: inout ArraySlice<String>) -> [Piece] {
        var pieces: [Piece] = []
        while let part = parts.popFirst() {
            switch part {
            case "]", "}": return pieces
            case "[": pieces.append(.optional(Self.pieces(&parts)))
            case "{":
                if case .value(let name, let type)? = Self.pieces(&parts).first { pieces.append(.repeated(name, type)) }
            case _ where part.hasPrefix("<"):
                let halves = part.dropFirst().split(separator: ":", maxSplits: 1).map(String.init)
                pieces.append(.value(halves[0], ValueType(halves[1])))
            default: pieces.append(.word(part))
            }
        }
        return pieces
    }
}

extension Phrase.ValueType {
    init(_ name: String) {
        self =
            switch name {
            case "time": .time
            case "number": .number
            case "percent": .percent
            case "hertz": .hertz
            case "decibels": .decibels
            case "count": .count
            case "name": .name
            case "device": .device
            default: .choice(name.split(separator: "/").map(String.init))
            }
    }
}

/// The values of a phrase, as they are spelled, with their places in the text.
package struct Fields: Hashable, Sendable {
    package struct Value: Hashable, Sendable {
        package var text: String
        var position: SourcePosition

        package init(text: String, position: SourcePosition) {
            self.text = text
            self.position = position
        }
    }

    var phrase: Phrase
    var position: SourcePosition
    package var values: [String: [Value]] = [:]

    package init(_ phrase: Phrase, at position: SourcePosition) {
        self.phrase = phrase
        self.position = position
    }

    var verb: String { phrase.verb }

    package subscript(name: String) -> String? { values[name]?.first?.text }

    func all(_ name: String) -> [String] { values[name, default: []].map(\.text) }

    /// The text of a value that the phrase has for certain.
    func text(_ name: String) -> String { self[name] ?? "" }

    package func time(_ name: String) -> AudioScene.Time? { self[name].flatMap(AudioScene.Time.init(spelling:)) }

    func number(_ name: String) -> Double? { self[name].flatMap(Phrase.ValueType.number(in:)) }
}

extension Phrase.ValueType {
    /// Whether a text is a value of this type; devices are those of `devices`.
    func accepts(_ text: String, devices: Set<String>) -> Bool {
        switch self {
        case .time: AudioScene.Time(spelling: text) != nil
        case .number, .hertz, .percent, .decibels, .count:
            Self.number(in: text).map(accepts) ?? false
        case .name: text.utf8.count <= 200
        case .device: devices.contains(text)
        case .choice(let words): words.contains(text)
        }
    }

    private func accepts(_ number: Double) -> Bool {
        switch self {
        case .percent: (0...100).contains(number)
        case .hertz: (1...768_000).contains(number)
        case .decibels: (-200...20).contains(number) && number == number.rounded()
        case .count: (1...1000).contains(number) && number == number.rounded()
        default: true
        }
    }

    /// What a person reads where a value of this type is possible.
    func possible(devices: [String]) -> [String] {
        switch self {
        case .time: ["a time such as 2s, 250ms or 1min"]
        case .number: ["a number"]
        case .percent: ["a volume such as 50%, 0% to 100%"]
        case .hertz: ["a rate such as 44100Hz, 1Hz to 768000Hz"]
        case .decibels: ["a level such as -20dB, -200dB to 20dB"]
        case .count: ["a whole number from 1 to 1000"]
        case .name: ["a name (\"in quotation marks\" where it has spaces)"]
        case .device: devices
        case .choice(let words): words
        }
    }

    /// Units that a number may have in this type.
    static let units = ["%", "Hz", "dB"]

    /// A number of digits, perhaps with a unit.
    static func number(in text: String) -> Double? {
        var digits = Substring(text)
        for unit in units where digits.hasSuffix(unit) { digits = digits.dropLast(unit.count) }
        guard digits.utf8.count <= 40, let last = digits.utf8.last, (0x30...0x39).contains(last),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2E, 0x2D, 0x2B, 0x65].contains($0) }),
            let number = Double(String(digits)), number.isFinite
        else { return nil }
        return number
    }
}

extension AudioScene.Time {
    private static let units: [(name: String, microseconds: Int)] = [
        ("ms", 1000), ("us", 1), ("min", 60_000_000), ("s", 1_000_000), ("h", 3_600_000_000), ("", 1_000_000),
    ]

    /// "2s", "2.5s", "250ms", "1min"; a number alone is in seconds.
    init?(spelling text: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = Self.units.first(where: { $0.name == text.dropFirst(number.count) })?.microseconds,
            number.count <= 20
        else { return nil }
        let halves = number.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count <= 2, let whole = Int(halves[0]), whole <= Self.maximum.microseconds else { return nil }
        var (sum, factor) = (whole.multipliedReportingOverflow(by: unit).partialValue, unit)
        guard whole <= Self.maximum.microseconds / unit else { return nil }
        if halves.count == 2 {
            guard !halves[1].isEmpty, halves[1].allSatisfy(\.isNumber) else { return nil }
            for digit in halves[1] {
                // Finer than a microsecond would be another time when it is written again.
                guard factor % 10 == 0, let value = digit.wholeNumberValue else {
                    if digit == "0" { continue }
                    return nil
                }
                factor /= 10
                sum += value * factor
            }
        }
        guard sum <= Self.maximum.microseconds else { return nil }
        self.init(microseconds: sum)
    }

    /// The shortest exact spelling in seconds, or in milliseconds below one second.
    package var spelling: String {
        if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000)s" }
        if microseconds < 1_000_000, microseconds % 1000 == 0 { return "\(microseconds / 1000)ms" }
        var fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        return "\(microseconds / 1_000_000).\(fraction)s"
    }
}
