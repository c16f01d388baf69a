/// A key that a person pressed.
enum Key: Hashable, Sendable, ExpressibleByExtendedGraphemeClusterLiteral {
    case character(Character)
    case left, right, up, down, pageUp, pageDown, enter, escape, backspace

    init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}

/// Turns the bytes that a terminal sends into keys.
///
/// A sequence may arrive in pieces: while `isPending`, wait about 50 ms for the rest, then call `flush`.
struct KeyDecoder {
    private enum State {
        case ground
        /// After ESC. Exits: introduced | singleShift | ground.
        case escape
        /// After ESC `[`, with the byte that follows it, until a final byte. Exits: ground.
        case introduced(UInt8?)
        /// After ESC `O`, one byte to go. Exits: ground.
        case singleShift
    }

    private var state = State.ground

    /// A sequence has begun but not ended.
    var isPending: Bool { if case .ground = state { false } else { true } }

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { next($0) }
    }

    /// Ends an unfinished sequence; if only its first byte arrived, that was the Escape key.
    mutating func flush() -> Key? {
        defer { state = .ground }
        return if case .escape = state { .escape } else { nil }
    }

    private mutating func next(_ byte: UInt8) -> Key? {
        switch (state, byte) {
        case (_, 0x1B):
            state = .escape
            return nil
        case (.escape, UInt8(ascii: "[")):
            state = .introduced(nil)
            return nil
        case (.escape, UInt8(ascii: "O")):
            state = .singleShift
            return nil
        case (.introduced(let first), UInt8(ascii: "~")):
            state = .ground
            return first == UInt8(ascii: "5") ? .pageUp : first == UInt8(ascii: "6") ? .pageDown : nil
        case (.introduced, 0x40...0x7E), (.singleShift, _):
            state = .ground
            return Self.arrow(byte)
        case (.introduced(let first), _):
            // A parameter: `ESC [ 1 ; 5 C` is Control-Right, which counts as Right.
            state = .introduced(first ?? byte)
            return nil
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
