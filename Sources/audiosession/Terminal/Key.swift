/// A key that a person pressed.
enum Key: Hashable, Sendable {
    case character(Character)
    case left, right, up, down, enter, escape
}
