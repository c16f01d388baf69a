/// A claim's place on the board that all sessions share: the greater came later.
///
/// The server hands places out, so that every process sees the same order; a place is never used again while that server
/// lives.
package struct ClaimSerial: Hashable, Comparable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }

    package static func < (a: ClaimSerial, b: ClaimSerial) -> Bool { a.number < b.number }
}
