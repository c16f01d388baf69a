/// A value of a session that has a word: the same one in claims, traces, scenes, messages and on the command line.
///
/// Programs of other versions and the files of users have these words: none of them changes, whatever its case is called.
package protocol SessionWord: CaseIterable, Equatable {
    var word: String { get }
}

extension SessionWord {
    package static var words: [String] { allCases.map(\.word) }

    /// - Returns: nil for a word that names none; words are compared exactly.
    package init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = value
    }
}

extension SessionWord where Self: RawRepresentable<String> {
    package var word: String { rawValue }
}

extension SessionCategory: SessionWord {}
extension SessionMode: SessionWord {}

extension SessionPolicy: SessionWord {
    package var word: String {
        switch self {
        case .default: "default"
        case .longFormAudio: "longFormAudio"
        case .independent: "independent"
        case .longFormVideo: "longFormVideo"
        }
    }
}

extension PortKind: SessionWord {
    package var word: String {
        switch self {
        case .lineIn: "lineIn"
        case .builtInMic: "builtInMic"
        case .headsetMic: "headsetMic"
        case .lineOut: "lineOut"
        case .headphones: "headphones"
        case .bluetoothA2DP: "bluetoothA2DP"
        case .builtInReceiver: "builtInReceiver"
        case .builtInSpeaker: "builtInSpeaker"
        case .hdmi: "hdmi"
        case .airPlay: "airPlay"
        case .bluetoothLE: "bluetoothLE"
        case .bluetoothHFP: "bluetoothHFP"
        case .usbAudio: "usbAudio"
        case .carAudio: "carAudio"
        case .virtual: "virtual"
        case .pci: "pci"
        case .fireWire: "fireWire"
        case .displayPort: "displayPort"
        case .avb: "avb"
        case .thunderbolt: "thunderbolt"
        }
    }
}

extension RouteChangeReason: SessionWord {
    package var word: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "newDeviceAvailable"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        case .categoryChange: "categoryChange"
        case .override: "override"
        case .wakeFromSleep: "wakeFromSleep"
        case .noSuitableRouteForCategory: "noSuitableRouteForCategory"
        case .routeConfigurationChange: "routeConfigurationChange"
        }
    }
}
