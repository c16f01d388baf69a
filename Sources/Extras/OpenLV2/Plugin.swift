import AudioModel
import CLilv
package import EffectCore

/// A plug-in that this library can run, with what its description claims brought into bounds.
package struct Plugin: Sendable {
    /// What names it for lilv.
    package let uri: String
    /// For people.
    package let name: String
    package let author: String
    package let category: String
    let ports: [PluginPort]
    /// Addresses are indices of ports.
    package let parameters: [UnitParameter]

    /// Ports of one plug-in.
    static let mostPorts = 1024
    /// Audio ports on one side.
    static let mostAudioPorts = 64
    private static let longestName = 80
    /// The largest number of a range.
    private static let largest: Float = 1e9
    /// Named values of one parameter.
    private static let mostNames = 256

    /// Why a plug-in is not offered.
    package enum Refusal: Error, Hashable {
        /// Its URI is empty, or cannot be printed.
        case uri
        case ports(Int)
        /// It needs a port of another kind.
        case port(String)
        case feature(String)
        /// No sound goes in, or none comes out: an instrument, a meter, a plug-in for MIDI.
        case noEffect
    }

    package init(_ claims: PluginClaims) throws(Refusal) {
        let uri = claims.uri
        guard !uri.isEmpty, uri.utf8.count <= 1024, uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .uri
        }
        guard claims.ports.count <= Self.mostPorts else { throw .ports(claims.ports.count) }
        if let feature = claims.requiredFeatures.first(where: { !oav_lv2_has_feature($0) }) {
            throw .feature(feature.printable(most: Self.longestName))
        }
        var ports: [PluginPort] = []
        var parameters: [UnitParameter] = []
        var identifiers: Set<String> = []
        for (index, claim) in claims.ports.enumerated() {
            switch claim.kind {
            case .audio: ports.append(.audio(isInput: claim.isInput))
            case .events: ports.append(.events(isInput: claim.isInput))
            case .other:
                guard claim.isOptional else { throw .port(claim.symbol.printable(most: Self.longestName)) }
                ports.append(.unconnected)
            case .control:
                let parameter = Self.parameter(claim, at: index, &identifiers)
                let isFixed = claim.isLatency || parameter.range.lowerBound == parameter.range.upperBound
                ports.append(
                    claim.isInput
                        ? .control(parameter.defaultValue, isOfSampleRate: claim.isOfSampleRate)
                        : .measurement(isLatency: claim.isLatency))
                if !isFixed { parameters.append(parameter) }
            }
        }
        let audio = ports.filter { if case .audio = $0 { true } else { false } }
        let inputs = audio.count { $0 == .audio(isInput: true) }
        guard inputs > 0, inputs < audio.count else { throw .noEffect }
        guard max(inputs, audio.count - inputs) <= Self.mostAudioPorts else { throw .ports(audio.count) }
        let shown = claims.name.printable(most: Self.longestName)
        self.uri = uri
        name = shown.isEmpty ? uri : shown
        author = claims.author.printable(most: Self.longestName)
        category = claims.category.printable(most: Self.longestName)
        (self.ports, self.parameters) = (ports, parameters)
    }

    private static func parameter(
        _ claim: PluginClaims.Port, at index: Int, _ identifiers: inout Set<String>
    ) -> UnitParameter {
        let symbol = String(claim.symbol.unicodeScalars.prefix(longestName).filter(\.isIdentifier))
        var identifier = symbol.isEmpty ? "port_\(index)" : symbol
        while !identifiers.insert(identifier).inserted { identifier += "_\(index)" }
        let shown = claim.name.printable(most: longestName)
        let lower = bounded(claim.minimum) ?? 0
        let upper = claim.isToggled ? 1 : bounded(claim.maximum) ?? max(lower, 1)
        let range = claim.isToggled ? 0...1 : min(lower, upper)...max(lower, upper)
        let value = bounded(claim.defaultValue) ?? range.lowerBound
        return UnitParameter(
            address: UInt64(index), identifier: identifier, name: shown.isEmpty ? identifier : shown, range: range,
            defaultValue: min(max(value, range.lowerBound), range.upperBound),
            unit: claim.isToggled ? .boolean : unit(of: claim), valueNames: names(of: claim, in: range),
            isWritable: claim.isInput)
    }

    /// Nil for what is no number.
    private static func bounded(_ value: Float?) -> Float? {
        guard let value, !value.isNaN else { return nil }
        return min(max(value, -largest), largest)
    }

    /// The names of a parameter's values where each whole number of the range has one; empty otherwise.
    private static func names(of claim: PluginClaims.Port, in range: ClosedRange<Float>) -> [String] {
        guard range.upperBound - range.lowerBound < Float(mostNames), range.lowerBound == range.lowerBound.rounded(),
            range.upperBound == range.upperBound.rounded()
        else { return [] }
        let count = Int(range.upperBound - range.lowerBound) + 1
        guard claim.valueNames.count >= count, count > 1 else { return [] }
        let names = (0..<count).compactMap { step in
            claim.valueNames.first { $0.value == range.lowerBound + Float(step) }?.name.printable(most: longestName)
        }
        return names.count == count ? names : []
    }

    private static func unit(of claim: PluginClaims.Port) -> UnitParameter.Unit {
        guard let unit = claim.unit else { return .generic }
        return switch unit.split(separator: "#").last.map(String.init) ?? unit {
        case "hz": .hertz
        case "db": .decibels
        case "s": .seconds
        case "ms": .milliseconds
        case "pc": .percent
        case "cent": .cents
        case "oct": .octaves
        case "semitone12TET": .semitones
        case "bpm": .beatsPerMinute
        case "beat": .beats
        case "degree": .degrees
        case "coef": .ratio
        case "frame": .sampleFrames
        case "m": .meters
        case "midiNote": .midiNote
        default: .generic
        }
    }
}

/// What a plug-in's port is connected to.
enum PluginPort: Hashable, Sendable {
    case audio(isInput: Bool)
    /// A number that is set; its first value.
    case control(Float, isOfSampleRate: Bool)
    /// A number that the plug-in says.
    case measurement(isLatency: Bool)
    /// A list of events: always empty.
    case events(isInput: Bool)
    case unconnected
}

extension String {
    /// For people, and of so many characters of Unicode at most.
    fileprivate func printable(most count: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(count))).printable
    }
}

extension Unicode.Scalar {
    fileprivate var isIdentifier: Bool {
        self == "_" || isASCII && properties.isAlphabetic || ("0"..."9").contains(self)
    }
}
