/// A Boolean of Apple's C functions: one byte.
///
/// Source: Apple documentation (DarwinBoolean); Foundation on Linux has none.
@frozen public struct DarwinBoolean: ExpressibleByBooleanLiteral, Hashable, Sendable, CustomStringConvertible {
    private var byte: UInt8

    /// A Boolean of this value.
    public init(_ value: Bool) { byte = value ? 1 : 0 }

    /// A Boolean of this value.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// The same as Swift's Boolean.
    public var boolValue: Bool { byte != 0 }

    /// "true" or "false".
    public var description: String { boolValue.description }
}
