internal import EngineCore
public import Foundation

/// A group of parameters of an audio unit.
///
/// Source: SDK header AUParameters.h.
open class AUParameterGroup: AUParameterNode, @unchecked Sendable {
    /// The parameters and groups of the group, in order.
    public let children: [AUParameterNode]

    init(identifier: String, name: String, children: [AUParameterNode]) {
        self.children = children
        super.init(identifier: identifier, name: name)
        for child in children { child.parent = self }
    }

    /// All parameters in the group and in the groups inside of it, in order.
    open var allParameters: [AUParameter] {
        children.flatMap { node -> [AUParameter] in
            if let parameter = node as? AUParameter { return [parameter] }
            return (node as? AUParameterGroup)?.allParameters ?? []
        }
    }

    open override func value(forKey key: String) -> Any? { children.first { $0.identifier == key } }

    /// Copies of the children; `addressOffset` is added to their addresses.
    fileprivate func copiedChildren(addressOffset: AUParameterAddress) -> [AUParameterNode] {
        children.map { node in
            if let group = node as? AUParameterGroup {
                return AUParameterGroup(
                    identifier: group.identifier, name: group.displayName,
                    children: group.copiedChildren(addressOffset: addressOffset))
            }
            guard let parameter = node as? AUParameter else { return node }
            return AUParameter(
                identifier: parameter.identifier, name: parameter.displayName,
                address: parameter.address &+ addressOffset, min: parameter.minValue, max: parameter.maxValue,
                unit: parameter.unit, unitName: parameter.unitName, flags: parameter.flags,
                valueStrings: parameter.valueStrings, dependentParameters: parameter.dependentParameters)
        }
    }
}

/// All parameters of an audio unit.
///
/// Source: SDK headers AUParameters.h, AUAudioUnitImplementation.h.
open class AUParameterTree: AUParameterGroup, @unchecked Sendable {
    private let parametersByAddress: [AUParameterAddress: AUParameter]
    /// Has the values; nil for a tree that an app made.
    private let unit: (any ParameterizedUnit)?

    init(children: [AUParameterNode], of unit: (any ParameterizedUnit)? = nil) {
        self.unit = unit
        let all = children.flatMap { node -> [AUParameter] in
            if let parameter = node as? AUParameter { return [parameter] }
            return (node as? AUParameterGroup)?.allParameters ?? []
        }
        parametersByAddress = Dictionary(all.map { ($0.address, $0) }) { first, _ in first }
        super.init(identifier: "", name: "", children: children)
    }

    /// The parameter with that address; nil if there is none.
    ///
    /// If several parameters have the address, it is the first.
    open func parameter(withAddress address: AUParameterAddress) -> AUParameter? { parametersByAddress[address] }

    /// The parameter whose address is this id of the C functions; nil outside of the global scope and element 0.
    open func parameter(
        withID paramID: AudioUnitParameterID, scope: AudioUnitScope, element: AudioUnitElement
    ) -> AUParameter? {
        guard scope == kAudioUnitScope_Global, element == 0 else { return nil }
        return parameter(withAddress: AUParameterAddress(paramID))
    }

    // MARK: Making trees

    /// Makes a parameter.
    ///
    /// - Parameters:
    ///   - identifier: the name in code, unique in its group.
    ///   - name: the name to show to users.
    ///   - address: the address, unique in the tree.
    ///   - min: the lowest value.
    ///   - max: the highest value.
    ///   - unit: the unit of measurement of the value.
    ///   - unitName: the name of a custom unit of measurement.
    ///   - flags: the options; readable and writable by default.
    ///   - valueStrings: the names of the values.
    ///   - dependentParameters: the addresses of parameters that may change with this one.
    open class func createParameter(
        withIdentifier identifier: String, name: String, address: AUParameterAddress, min: AUValue, max: AUValue,
        unit: AudioUnitParameterUnit, unitName: String?, flags: AudioUnitParameterOptions = [],
        valueStrings: [String]?, dependentParameters: [NSNumber]?
    ) -> AUParameter {
        AUParameter(
            identifier: identifier, name: name, address: address, min: min, max: max, unit: unit, unitName: unitName,
            flags: flags.isEmpty ? [.flag_IsReadable, .flag_IsWritable] : flags, valueStrings: valueStrings,
            dependentParameters: dependentParameters)
    }

    /// Makes a group of nodes; the nodes belong to it then.
    open class func createGroup(
        withIdentifier identifier: String, name: String, children: [AUParameterNode]
    ) -> AUParameterGroup {
        AUParameterGroup(identifier: identifier, name: name, children: children)
    }

    /// Makes a group to copy with `createGroup(fromTemplate:identifier:name:addressOffset:)`.
    open class func createGroupTemplate(_ children: [AUParameterNode]) -> AUParameterGroup {
        AUParameterGroup(identifier: "", name: "", children: children)
    }

    /// Makes a group with copies of a template's nodes.
    ///
    /// - Parameters:
    ///   - templateGroup: the template; it does not change.
    ///   - identifier: the group's name in code.
    ///   - name: the group's name to show to users.
    ///   - addressOffset: a number that is added to the addresses of the template's parameters.
    open class func createGroup(
        fromTemplate templateGroup: AUParameterGroup, identifier: String, name: String,
        addressOffset: AUParameterAddress
    ) -> AUParameterGroup {
        AUParameterGroup(
            identifier: identifier, name: name, children: templateGroup.copiedChildren(addressOffset: addressOffset))
    }

    /// Makes a tree of nodes; the nodes belong to it then.
    open class func createTree(withChildren children: [AUParameterNode]) -> AUParameterTree {
        AUParameterTree(children: children)
    }

    /// Makes the tree of a unit's parameters; the unit keeps the values.
    convenience init(_ unit: any ParameterizedUnit) {
        self.init(
            children: unit.parameters.map { parameter in
                var flags: AudioUnitParameterOptions = [.flag_IsReadable]
                flags.insert(parameter.isWritable ? [.flag_IsWritable, .flag_CanRamp] : .flag_MeterReadOnly)
                if !parameter.valueNames.isEmpty { flags.insert(.flag_ValuesHaveStrings) }
                return AUParameter(
                    identifier: parameter.identifier, name: parameter.name, address: parameter.address,
                    min: parameter.range.lowerBound, max: parameter.range.upperBound,
                    unit: AudioUnitParameterUnit(rawValue: parameter.unit.rawValue) ?? .generic, unitName: nil,
                    flags: flags, valueStrings: parameter.valueNames.isEmpty ? nil : parameter.valueNames,
                    dependentParameters: nil, ofUnit: unit)
            }, of: unit)
    }

    /// From now on, observers are told of what the properties of the unit's node set.
    final func observeUnit() {
        unit?.observe { [weak self] address, value in
            let event = AUParameterAutomationEvent(hostTime: 0, address: address, value: value, eventType: .value)
            self?.parametersByAddress[address]?.report(event, except: nil)
        }
    }
}
