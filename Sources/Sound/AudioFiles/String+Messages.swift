internal import AudioModel

extension String {
    /// The text that a C function has written: up to the first 0.
    package init(characters: [CChar]) {
        self.init(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// This text in quotation marks, safe for a terminal: for paths in messages.
    package var quoted: String { "\"\(printable)\"" }

    /// A span of time for people: "0.42 s", "0:12", "1:02:05".
    ///
    /// Cut to what has passed, as clocks do. `precise` shows hundredths below a minute, for spans too short for a clock.
    static func time(seconds: Double, precise: Bool = false) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "an unknown time" }
        let whole = Int(Swift.max(0, seconds))
        if precise && whole < 60 {
            let hundredths = Int(Swift.max(0, seconds) * 100)
            return "\(hundredths / 100).\(twoDigits(hundredths % 100)) s"
        }
        guard whole >= 3600 else { return "\(whole / 60):\(twoDigits(whole % 60))" }
        return "\(whole / 3600):\(twoDigits(whole / 60 % 60)):\(twoDigits(whole % 60))"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
