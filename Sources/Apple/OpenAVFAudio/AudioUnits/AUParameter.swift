public import Foundation
internal import Synchronization

/// One parameter of an audio unit.
///
/// Its value may be read and set on any thread except the render thread; it is the unit's own, where that has a value provider.
///
/// Source: SDK header AUParameters.h.
open class AUParameter: AUParameterNode, @unchecked Sendable {
    /// The lowest value.
    public let minValue: AUValue
    /// The highest value.
    public let maxValue: AUValue
    /// What the value counts.
    public let unit: AudioUnitParameterUnit
    /// The name of the unit, where it has one of its own.
    public let unitName: String?
    /// Details.
    public let flags: AudioUnitParameterOptions
    /// Names the parameter in its unit.
    public let address: AUParameterAddress
    /// The names of the values, from the lowest on; nil where values are numbers.
    public let valueStrings: [String]?
    /// The addresses of parameters that may change with this one.
    public let dependentParameters: [NSNumber]?
    private let stored: Mutex<AUValue>

    init(
        identifier: String, name: String, address: AUParameterAddress, min: AUValue, max: AUValue,
        unit: AudioUnitParameterUnit, unitName: String?, flags: AudioUnitParameterOptions, valueStrings: [String]?,
        dependentParameters: [NSNumber]?
    ) {
        (minValue, maxValue) = (min, max)
        (self.unit, self.unitName, self.flags, self.address) = (unit, unitName, flags, address)
        (self.valueStrings, self.dependentParameters) = (valueStrings, dependentParameters)
        stored = Mutex(min)
        super.init(identifier: identifier, name: name)
    }

    /// The value: from the unit's value provider, or what was set last; `minValue` before.
    ///
    /// Setting it is the same as `setValue(_:originator:)` without an originator.
    open var value: AUValue {
        get { hook(\.valueProvider)?(self) ?? storedValue }
        set { setValue(newValue, originator: nil) }
    }

    /// What was set last.
    final var storedValue: AUValue { stored.withLock { $0 } }

    /// Sets the value, and tells all observers but one.
    ///
    /// - Parameters:
    ///   - value: in the unit of the parameter.
    ///   - originator: the token of the observer that is not told; nil tells all.
    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?) {
        setValue(value, originator: originator, atHostTime: 0, eventType: .value)
    }

    /// The same, with a time for observers that record.
    ///
    /// - Parameters:
    ///   - value: in the unit of the parameter.
    ///   - originator: the token of the observer that is not told; nil tells all.
    ///   - hostTime: on the host's clock; 0 for none. The value is set at once.
    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64) {
        setValue(value, originator: originator, atHostTime: hostTime, eventType: .value)
    }

    /// The same, with what happens to the control for observers of automation.
    open func setValue(
        _ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64,
        eventType: AUParameterAutomationEventType
    ) {
        stored.withLock { $0 = value }
        hook(\.valueObserver)?(self, value)
        let event = AUParameterAutomationEvent(
            hostTime: hostTime, address: address, value: value, eventType: eventType)
        for observer in allObservers where observer.token != originator { observer.report(event) }
    }

    /// The text of a value: from the unit, one of `valueStrings`, or the number.
    ///
    /// - Parameter value: nil for the parameter's value.
    open func string(fromValue value: UnsafePointer<AUValue>?) -> String {
        if let text = hook(\.stringFromValue) { return text(self, value) }
        return ownText(of: value?.pointee ?? self.value)
    }

    /// The value of a text: from the unit, the place in `valueStrings`, or a number.
    ///
    /// A text that is none of these is the value that the parameter has.
    open func value(fromString string: String) -> AUValue {
        hook(\.valueFromString)?(self, string) ?? ownValue(of: string)
    }

    final func ownText(of value: AUValue) -> String {
        if let valueStrings, value.isFinite,
            let name = valueStrings.dropFirst(Int(clamping: Int64((value - minValue).rounded()))).first,
            value >= minValue
        {
            return name
        }
        return "\(value)"
    }

    final func ownValue(of text: String) -> AUValue {
        if let place = valueStrings?.firstIndex(of: text) { return minValue + AUValue(place) }
        return AUValue(text) ?? value
    }

    open override func value(forKey key: String) -> Any? { key == "value" ? value : nil }
}
