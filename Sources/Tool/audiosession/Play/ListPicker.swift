/// What a key does to a list in which a person moves a cursor.
enum PickerOutcome<Choice: Hashable>: Hashable {
    /// The key is not for the list.
    case passes
    case stays
    case closes
    case chooses(Choice)
}

/// The cursor of a list that need not fit its terminal.
struct ListPicker: Hashable, Sendable {
    /// The rows around the cursor: a queue may have 100,000.
    struct Content: Hashable, Sendable {
        /// Untrusted text.
        var titles: [String]
        /// The place of the first title.
        var first: Int
        var cursor, playing, count: Int
    }

    private(set) var cursor = 0
    /// The number that is being typed.
    private var digits = ""

    init(at cursor: Int = 0) { self.cursor = cursor }

    mutating func press(_ key: Key, count: Int) -> PickerOutcome<Int> {
        let steps: [Key: Int] = [.up: -1, .down: 1, .pageUp: -10, .pageDown: 10]
        if case .character(let digit) = key, digit.isASCII, digit.isNumber {
            digits = String((digits + String(digit)).suffix(6))
            cursor = Int(digits).map { $0 - 1 } ?? cursor
        } else {
            digits = ""
            guard let step = steps[key] else {
                return key == .enter ? .chooses(cursor) : key == .escape ? .closes : .passes
            }
            cursor += step
        }
        cursor = max(0, min(cursor, count - 1))
        return .stays
    }

    func content(count: Int, playing: Int? = nil, title: (Int) -> String) -> Content {
        let rows = max(0, cursor - 100)..<min(count, cursor + 100)
        return .init(
            titles: rows.map(title), first: rows.lowerBound, cursor: cursor, playing: playing ?? -1, count: count)
    }
}

/// The list that is open below what plays.
enum PlayPanel {
    case none
    case keys(ListPicker)
    case outputs(DevicePicker)
    case songs(ListPicker)

    var showsOutputs: Bool { if case .outputs = self { true } else { false } }
}
