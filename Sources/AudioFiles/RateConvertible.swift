/// The types of sample that `SampleRateConverter` takes.
package protocol RateConvertible: Sendable {
    static var isDouble: Bool { get }
}

extension Float: RateConvertible {
    package static var isDouble: Bool { false }
}

extension Double: RateConvertible {
    package static var isDouble: Bool { true }
}
