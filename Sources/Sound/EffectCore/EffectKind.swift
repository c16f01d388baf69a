/// The effects of this module.
package enum EffectKind: Hashable, Sendable, CaseIterable {
    case equalizer, delay, reverb, distortion, dynamics, peakLimiter
    case lowPass, highPass, bandPass, lowShelf, highShelf, parametricEqualizer

    /// Four letters, as in a component description of Apple's.
    ///
    /// Source: SDK header AUComponent.h.
    package var subType: UInt32 {
        switch self {
        case .equalizer: Self.code("nbeq")
        case .delay: Self.code("dely")
        case .reverb: Self.code("rvb2")
        case .distortion: Self.code("dist")
        case .dynamics: Self.code("dcmp")
        case .peakLimiter: Self.code("lmtr")
        case .lowPass: Self.code("lpas")
        case .highPass: Self.code("hpas")
        case .bandPass: Self.code("bpas")
        case .lowShelf: Self.code("lshf")
        case .highShelf: Self.code("hshf")
        case .parametricEqualizer: Self.code("pmeq")
        }
    }

    package init?(subType: UInt32) {
        guard let kind = Self.allCases.first(where: { $0.subType == subType }) else { return nil }
        self = kind
    }

    /// For people.
    package var name: String {
        switch self {
        case .equalizer: "equalizer"
        case .delay: "delay"
        case .reverb: "reverb"
        case .distortion: "distortion"
        case .dynamics: "dynamics processor"
        case .peakLimiter: "peak limiter"
        case .lowPass: "low pass"
        case .highPass: "high pass"
        case .bandPass: "band pass"
        case .lowShelf: "low shelf"
        case .highShelf: "high shelf"
        case .parametricEqualizer: "parametric equalizer"
        }
    }

    private static func code(_ letters: StaticString) -> UInt32 {
        letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
