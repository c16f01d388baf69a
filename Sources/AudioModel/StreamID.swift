/// Names one output stream within a process; ids come from a counter and are never used again.
package struct StreamID: Hashable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Names one activation; a later activation of the same session has a new one.
package struct ClaimID: Hashable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}
