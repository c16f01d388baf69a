internal import EngineCore
public import Foundation
internal import Synchronization

/// One parameter of an audio unit.
///
/// Its value may be read and set on any thread except the render thread. If the unit has a value provider, the value
/// comes from it.
///
/// Source: SDK header AUParameters.h.
open class AUParameter: AUParameterNode, @unchecked Sendable {
    /// The lowest value.
    public let minValue: AUValue
    /// The highest value.
    public let maxValue: AUValue
    /// The unit of measurement of the value.
    public let unit: AudioUnitParameterUnit
    /// The name of a custom unit of measurement; nil for the standard ones.
    public let unitName: String?
    /// The options of the parameter.
    public let flags: AudioUnitParameterOptions
    /// Identifies the parameter in its unit.
    public let address: AUParameterAddress
    /// The names of the values, from the lowest value on; nil if values are numbers.
    public let valueStrings: [String]?
    /// The addresses of parameters that may change with this one.
    public let dependentParameters: [NSNumber]?
    private let storage: Storage

    /// Where the value is.
    enum Storage {
        /// In the parameter itself: of a tree that an app made.
        case own(OwnValue)
        /// In the unit, which has the only copy.
        case unit(any ParameterizedUnit)
    }

    final class OwnValue: Sendable {
        let value: Mutex<AUValue>
        init(_ value: AUValue) { self.value = Mutex(value) }
    }

    init(
        identifier: String, name: String, address: AUParameterAddress, min: AUValue, max: AUValue,
        unit: AudioUnitParameterUnit, unitName: String?, flags: AudioUnitParameterOptions, valueStrings: [String]?,
        dependentParameters: [NSNumber]?, ofUnit: (any ParameterizedUnit)? = nil
    ) {
        (minValue, maxValue) = (min, max)
        (self.unit, self.unitName, self.flags, self.address) = (unit, unitName, flags, address)
        (self.valueStrings, self.dependentParameters) = (valueStrings, dependentParameters)
        storage = ofUnit.map(Storage.unit) ?? .own(OwnValue(min))
        super.init(identifier: identifier, name: name)
    }

    /// The value from the unit's value provider, or the value that was set last; `minValue` before that.
    ///
    /// Setting it is the same as `setValue(_:originator:)` without an originator.
    open var value: AUValue {
        get { hook(\.valueProvider)?(self) ?? storedValue }
        set { setValue(newValue, originator: nil) }
    }

    /// The value that was set last; of a unit, its value.
    final var storedValue: AUValue {
        switch storage {
        case .own(let own): own.value.withLock { $0 }
        case .unit(let unit): unit.value(at: address) ?? minValue
        }
    }

    /// Sets the value, and reports it to all observers except one.
    ///
    /// - Parameters:
    ///   - value: in the parameter's unit of measurement.
    ///   - originator: the token of the observer that gets no report; nil reports to all.
    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?) {
        setValue(value, originator: originator, atHostTime: 0, eventType: .value)
    }

    /// Sets the value, with a time for observers that record.
    ///
    /// - Parameters:
    ///   - value: in the parameter's unit of measurement.
    ///   - originator: the token of the observer that gets no report; nil reports to all.
    ///   - hostTime: on the host's clock; 0 for none. The value is set at once.
    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64) {
        setValue(value, originator: originator, atHostTime: hostTime, eventType: .value)
    }

    /// Sets the value, with the type of the event for observers of automation.
    open func setValue(
        _ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64,
        eventType: AUParameterAutomationEventType
    ) {
        switch storage {
        case .own(let own): own.value.withLock { $0 = value }
        case .unit(let unit): unit.setValue(value, at: address)
        }
        hook(\.valueObserver)?(self, value)
        report(
            AUParameterAutomationEvent(hostTime: hostTime, address: address, value: value, eventType: eventType),
            except: originator)
    }

    final func report(_ event: AUParameterAutomationEvent, except originator: AUParameterObserverToken?) {
        for observer in allObservers where observer.token != originator { observer.report(event) }
    }

    /// The text of a value: the unit's text, one of `valueStrings`, or the number.
    ///
    /// - Parameter value: nil for the parameter's value.
    open func string(fromValue value: UnsafePointer<AUValue>?) -> String {
        if let text = hook(\.stringFromValue) { return text(self, value) }
        return ownText(of: value?.pointee ?? self.value)
    }

    /// The value of a text: the unit's value, the index in `valueStrings`, or a number.
    ///
    /// Any other text returns the current value.
    open func value(fromString string: String) -> AUValue {
        hook(\.valueFromString)?(self, string) ?? ownValue(of: string)
    }

    final func ownText(of value: AUValue) -> String {
        // Below the first and beyond the last name, numbers.
        if let valueStrings, value >= minValue,
            let name = valueStrings.dropFirst(Int(Int64(nearest: Double(value - minValue)))).first
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
