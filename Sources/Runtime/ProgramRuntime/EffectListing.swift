internal import AudioRuntime
internal import EffectCore
package import EngineCore
import Foundation

/// An effect of the render cycle that can be made by its name.
package struct EffectListing: Sendable {
    /// For people.
    package let name: String
    package let maker: String
    /// What kind of effect it is, for people; empty where that is not known.
    package let category: String
    /// Of a plug-in.
    package let uri: String?
    package let make: @Sendable () -> any ParameterizedUnit

    /// Small letters, digits and dashes, for the command line.
    package var word: String { Self.word(of: name) }

    /// "MDA Delay" is `mda-delay`.
    private static func word(of name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    /// Of this library, then the units of the registered providers.
    package static var all: [EffectListing] {
        own
            + UnitProviders.all.flatMap(\.units).map {
                EffectListing(name: $0.name, maker: $0.maker, category: $0.category, uri: $0.uri, make: $0.make)
            }
    }

    /// Why the units of a registered provider are not listed; nil where all are.
    package static var failure: String? { UnitProviders.all.lazy.compactMap(\.failure).first }

    private static let own = EffectKind.allCases.map { kind in
        EffectListing(name: kind.name, maker: "open-avfaudio", category: "", uri: nil) {
            kind == .equalizer ? graphicEqualizer() : EffectUnit(kind)
        }
    }

    /// Ten bands, an octave apart from 31 Hz on.
    private static func graphicEqualizer() -> EffectUnit {
        let unit = EffectUnit(.equalizer, bands: 10)
        for band in 1...10 {
            let values = [
                "bypass\(band)": Float(0), "frequency\(band)": 31.25 * exp2(Float(band - 1)), "bandwidth\(band)": 1,
            ]
            for parameter in unit.parameters {
                if let value = values[parameter.identifier] { unit.setValue(value, at: parameter.address) }
            }
        }
        return unit
    }

    /// The effects that a person may mean: the one of that word, name or address, or those that the letters are in.
    package static func matches(_ text: String) -> [EffectListing] {
        let word = word(of: text)
        let exact = all.filter { $0.word == word || $0.name == text || $0.uri == text }
        if !exact.isEmpty { return exact }
        return word.isEmpty ? [] : all.filter { $0.word.contains(word) }
    }
}
