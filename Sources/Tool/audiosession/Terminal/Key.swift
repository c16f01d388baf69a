/// A key that a person pressed.
enum Key: Hashable, Sendable {
    case character(Character)
    case left, right, up, down, enter, escape, backspace
}

/// Turns the bytes that a terminal sends into keys.
///
/// A sequence may arrive in pieces: while `isPending`, wait about 50 ms for the rest, then call `flush`.
struct KeyDecoder {
    private enum State {
        case ground
        /// After ESC. Exits: introduced | singleShift | ground.
        case escape
        /// After ESC `[`, until a final byte. Exits: ground.
        case introduced
        /// After ESC `O`, one byte to go. Exits: ground.
        case singleShift
    }

    private var state = State.ground

    /// A sequence has begun but not ended.
    var isPending: Bool { state != .ground }

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { next($0) }
    }

    /// Ends an unfinished sequence; if only its first byte arrived, that was the Escape key.
    mutating func flush() -> Key? {
        defer { state = .ground }
        return state == .escape ? .escape : nil
    }

    private mutating func next(_ byte: UInt8) -> Key? {
        switch (state, byte) {
        case (_, 0x1B):
            state = .escape
            return nil
        case (.escape, UInt8(ascii: "[")):
            state = .introduced
            return nil
        case (.escape, UInt8(ascii: "O")):
            state = .singleShift
            return nil
        case (.introduced, 0x40...0x7E), (.singleShift, _):
            state = .ground
            return Self.arrow(byte)
        case (.introduced, _):
            return nil  // A parameter: `ESC [ 1 ; 5 C` is Control-Right, which counts as Right.
        case (.escape, _):
            state = .ground  // Alt with a key.
            return nil
        case (.ground, 0x20...0x7E):
            return .character(Character(Unicode.Scalar(byte)))
        case (.ground, UInt8(ascii: "\r")), (.ground, UInt8(ascii: "\n")):
            return .enter
        case (.ground, 0x7F), (.ground, 0x08):
            return .backspace
        case (.ground, _):
            return nil  // A control character, or part of a character beyond ASCII: not used.
        }
    }

    private static func arrow(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }
}
