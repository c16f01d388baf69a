package import AudioModel

/// Which categories, modes, options and policies go together.
///
/// Source: Apple documentation and SDK headers (iOS 27), `AVAudioSessionTypes.h`: `AVAudioSessionCategoryOptions`,
/// `AVAudioSessionMode`, `AVAudioSessionRouteSharingPolicy`.
package enum ConfigurationRules {
    /// The modes that may be set with a category, in the order of their declaration.
    ///
    /// `dualRoute` is not among them: it pairs the two routes that a phone has built in with a headset's two.
    package static func modes(for category: SessionCategory) -> [SessionMode] {
        SessionMode.allCases.filter { mode in
            switch mode {
            case .default, .measurement, .spokenAudio, .voicePrompt: true
            case .voiceChat, .videoChat, .gameChat: category == .playAndRecord
            case .videoRecording: category == .playAndRecord || category == .record
            case .moviePlayback, .shortFormVideo: category == .playback
            case .dualRoute: false
            }
        }
    }

    /// The options that let others sound beside us.
    private static let mixing: SessionOptions = [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]

    /// The options in force: those asked for, those the category has always on, and those the mode brings along.
    package static func effectiveOptions(of configuration: SessionConfiguration) -> SessionOptions {
        configuration.options.union(.automatic(in: configuration.category)).union(options(of: configuration.mode))
    }

    /// What a mode sets beside itself.
    private static func options(of mode: SessionMode) -> SessionOptions {
        switch mode {
        case .voiceChat: [.allowBluetoothHFP]
        case .videoChat: [.allowBluetoothHFP, .defaultToSpeaker]
        case .default, .gameChat, .videoRecording, .measurement, .moviePlayback, .spokenAudio, .voicePrompt,
            .shortFormVideo, .dualRoute:
            []
        }
    }

    /// The options as an app reads them: those it has set, with those that they, the category and the mode imply.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0), `AVAudioSessionCategoryOptions` and `AVAudioSessionMode`.
    package static func readableOptions(of configuration: SessionConfiguration) -> SessionOptions {
        let mixes = configuration.category == .ambient || !configuration.options.isDisjoint(with: mixing)
        return configuration.options.union(mixes ? .mixWithOthers : []).union(options(of: configuration.mode))
    }

    /// A configuration with another category and other options, where the app names no mode: a mode, or a policy, that
    /// does not go with them becomes `default`.
    package static func configuration(
        _ configuration: SessionConfiguration, changedTo category: SessionCategory, options: SessionOptions
    ) -> SessionConfiguration {
        var changed = configuration
        (changed.category, changed.options) = (category, options)
        if (modeViolation(changed) ?? optionViolation(changed)) != nil { changed.mode = .default }
        if policyViolation(changed) != nil { changed.policy = .default }
        return changed
    }

    /// Why a configuration cannot be set; nil when it can.
    package static func violation(of configuration: SessionConfiguration) -> SessionError? {
        modeViolation(configuration) ?? optionViolation(configuration) ?? policyViolation(configuration)
    }

    private static func modeViolation(_ configuration: SessionConfiguration) -> SessionError? {
        let (category, mode) = (configuration.category, configuration.mode)
        let allowed = modes(for: category)
        guard !allowed.contains(mode) else { return nil }
        let homes = SessionCategory.allCases.filter { modes(for: $0).contains(mode) }
        let remedy =
            homes.isEmpty
            ? "Choose one of these: \(mode) pairs a phone's own microphone and speaker with a headset's, and is not "
                + "supported on Linux. In category multiRoute, mode default plays to all outputs at once."
            : "Choose one of these, or set category \(list(homes, joinedBy: " or "))."
        return SessionError(
            .badParam,
            "Mode \(mode) is not allowed with category \(category). Allowed modes: \(list(allowed)). \(remedy)")
    }

    private static func optionViolation(_ configuration: SessionConfiguration) -> SessionError? {
        let (category, options) = (configuration.category, configuration.options)
        let allowed = SessionOptions.settable(with: category)
        let refused = options.subtracting(allowed)
        let allowedNames = allowed.isEmpty ? "none" : allowed.names.joined(separator: ", ")
        guard refused.isEmpty else {
            let homes = SessionCategory.allCases.filter { SessionOptions.settable(with: $0).isSuperset(of: refused) }
            let remedy = homes.isEmpty ? "." : ", or set category \(list(homes, joinedBy: " or "))."
            return SessionError(
                .badParam,
                "Options \(refused.names.joined(separator: ", ")) are not allowed with category \(category). "
                    + "Allowed options: \(allowedNames). Leave them out\(remedy)")
        }
        if options.contains(.farFieldInput), !effectiveOptions(of: configuration).contains(.allowBluetoothHFP) {
            return SessionError(
                .badParam,
                "Option farFieldInput is not allowed without allowBluetoothHFP (got: "
                    + "\(options.names.joined(separator: ", "))). Add allowBluetoothHFP, or leave farFieldInput out.")
        }
        let mixing = options.intersection(mixing)
        if category == .multiRoute, configuration.mode != .default, !mixing.isEmpty {
            return SessionError(
                .badParam,
                "Options \(mixing.names.joined(separator: ", ")) are not allowed with category multiRoute in mode "
                    + "\(configuration.mode). Allowed mode: default. Set mode default, or leave them out.")
        }
        if options.contains(.bluetoothHighQualityRecording), configuration.mode != .default {
            return SessionError(
                .badParam,
                "Option bluetoothHighQualityRecording is not allowed with mode \(configuration.mode). "
                    + "Allowed mode: default. Set mode default, or leave the option out.")
        }
        return nil
    }

    private static func policyViolation(_ configuration: SessionConfiguration) -> SessionError? {
        let policy = configuration.policy
        switch policy {
        case .default:
            return nil
        case .independent:
            return SessionError(
                .badParam,
                "Route sharing policy independent is set by the system only. Allowed policies: default, longFormAudio, "
                    + "longFormVideo. Use default.")
        case .longFormAudio, .longFormVideo:
            let modes: [SessionMode] = [.default, .moviePlayback, .spokenAudio]
            let received =
                configuration.options.isEmpty
                ? "no options" : "options \(configuration.options.names.joined(separator: ", "))"
            guard configuration.category == .playback, modes.contains(configuration.mode), configuration.options.isEmpty
            else {
                return SessionError(
                    .badParam,
                    "Route sharing policy \(policy) is not allowed with category \(configuration.category), mode "
                        + "\(configuration.mode) and \(received). Allowed: category playback, modes \(list(modes)), no "
                        + "options. Change these, or use policy default.")
            }
            return nil
        }
    }

    private static func list<T>(_ values: [T], joinedBy separator: String = ", ") -> String {
        values.map { "\($0)" }.joined(separator: separator)
    }
}

extension SessionOptions {
    /// The options' words in the order of their bits; bits without a meaning appear as one hexadecimal number.
    var names: [String] {
        let unknown = subtracting(Self.known)
        return words + (unknown.isEmpty ? [] : ["0x" + String(unknown.rawValue, radix: 16)])
    }
}
