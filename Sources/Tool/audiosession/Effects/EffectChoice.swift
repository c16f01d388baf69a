import ArgumentParser
import ProgramRuntime

/// An effect of `--effect`, with its settings.
struct EffectChoice: Sendable {
    let unit: EffectListing.Unit

    /// "NAME" or "NAME:key=value:key=value"; the name may have colons, as an address has.
    ///
    /// - Throws: `ValidationError` for a name that is none's or several effects', and for a setting that the effect does not have.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let settings = parts.dropFirst().reversed().prefix { $0.contains("=") }.reversed()
        let name = parts.dropLast(settings.count).joined(separator: ":")
        let listing = try Self.listing(name)
        unit = listing.make()
        for setting in settings { try set(setting, of: listing.word) }
    }

    static func listing(_ name: String) throws -> EffectListing {
        let found = EffectListing.matches(name)
        guard found.count != 1 else { return found[0] }
        guard found.isEmpty else {
            throw ValidationError(
                "'\(name.printable)' may be \(Self.list(found.map(\.word))). Give more of the name.")
        }
        let hint = Spelling.nearest(to: name, in: EffectListing.all.map(\.word)).map { " Did you mean '\($0)'?" } ?? ""
        throw ValidationError(
            "there is no effect '\(name.printable)'.\(hint) 'audiosession effects' lists those that are there.")
    }

    private static func list(_ words: [String]) -> String {
        let shown = words.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        return words.count > 8 ? "\(shown) or \(words.count - 8) more" : shown
    }

    private func set(_ setting: String, of effect: String) throws {
        let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let parameters = unit.parameters.filter(\.isWritable)
        guard let parameter = parameters.first(where: { $0.identifier == parts[0] }) else {
            let keys = parameters.map(\.identifier)
            let hint = Spelling.nearest(to: parts[0], in: keys).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError(
                "the effect '\(effect)' has no setting '\(parts[0].printable)'.\(hint) "
                    + "'audiosession effects \(effect)' lists its settings.")
        }
        let named = parameter.valueNames.firstIndex { $0.lowercased() == parts[1].lowercased() }
        let value = named.map { parameter.range.lowerBound + Float($0) } ?? Float(parts[1])
        guard let value, parameter.range.contains(value) else {
            let names = parameter.valueNames.isEmpty ? "" : ", or \(Self.list(parameter.valueNames))"
            throw ValidationError(
                "'\(parts[1].printable)' is no value of '\(parameter.identifier)' of the effect '\(effect)': give a number from "
                    + "\(EffectText.number(parameter.range.lowerBound)) to "
                    + "\(EffectText.number(parameter.range.upperBound))\(names).")
        }
        unit.setValue(value, at: parameter.address)
    }
}
