import AudioModel
import SessionCore
import Testing

/// The tables of Apple's documentation, row by row.
struct ConfigurationRulesTests {
    private let categories = SessionCategory.allCases

    @Test func options_perCategory_followTheTable() {
        // Columns: ambient, soloAmbient, playback, record, playAndRecord, multiRoute; "y" may be set, "a" always on, "-" refused.
        let rows: [(option: SessionOptions, columns: String)] = [
            (.mixWithOthers, "a-y-yy"),
            (.duckOthers, "y-y-yy"),
            (.interruptSpokenAudioAndMixWithOthers, "--y-yy"),
            (.allowBluetoothHFP, "---yy-"),
            (.defaultToSpeaker, "----y-"),
            (.allowBluetoothA2DP, "aaa-y-"),
            (.allowAirPlay, "aaa-y-"),
            (.overrideMutedMicrophoneInterruption, "---yyy"),
            (.bluetoothHighQualityRecording, "----y-"),
        ]
        var count = 0
        for row in rows {
            for (category, mark) in zip(categories, row.columns) {
                let configuration = SessionConfiguration(category: category, options: row.option)
                let violation = ConfigurationRules.violation(of: configuration)
                #expect(
                    (violation == nil) == (mark != "-"),
                    "\(row.option) in \(category): \(String(describing: violation))")
                if mark == "-" { #expect(violation?.code == .badParam) }
                let isAutomatic = ConfigurationRules.effectiveOptions(of: SessionConfiguration(category: category))
                    .isSuperset(of: row.option)
                #expect(isAutomatic == (mark == "a"), "\(row.option) in \(category)")
                count += 1
            }
        }
        #expect(count == 54)
    }

    @Test func modes_perCategory_followTheTable() {
        // Columns as above.
        let rows: [(mode: SessionMode, columns: String)] = [
            (.default, "yyyyyy"),
            (.voiceChat, "----y-"),
            (.gameChat, "----y-"),
            (.videoRecording, "---yy-"),
            (.measurement, "yyyyyy"),
            (.moviePlayback, "--y---"),
            (.videoChat, "----y-"),
            (.spokenAudio, "yyyyyy"),
            (.voicePrompt, "yyyyyy"),
            (.shortFormVideo, "--y---"),
            (.dualRoute, "------"),
        ]
        #expect(rows.map(\.mode) == SessionMode.allCases)
        var count = 0
        for row in rows {
            for (category, mark) in zip(categories, row.columns) {
                let violation = ConfigurationRules.violation(
                    of: SessionConfiguration(category: category, mode: row.mode))
                #expect((violation == nil) == (mark == "y"), "\(row.mode) in \(category)")
                if mark == "-" { #expect(violation?.code == .badParam) }
                #expect(ConfigurationRules.modes(for: category).contains(row.mode) == (mark == "y"))
                count += 1
            }
        }
        #expect(count == 66)
    }

    @Test func longFormPolicies_perCategoryModeAndOptions_followTheRule() {
        let modes: Set<SessionMode> = [.default, .moviePlayback, .spokenAudio]
        var (count, accepted) = (0, 0)
        for policy in [SessionPolicy.longFormAudio, .longFormVideo] {
            for category in categories {
                for mode in SessionMode.allCases {
                    for options in [SessionOptions(), .duckOthers, .allowAirPlay] {
                        let configuration = SessionConfiguration(
                            category: category, mode: mode, options: options, policy: policy)
                        let isAllowed = category == .playback && modes.contains(mode) && options.isEmpty
                        #expect((ConfigurationRules.violation(of: configuration) == nil) == isAllowed)
                        count += 1
                        accepted += isAllowed ? 1 : 0
                    }
                }
            }
        }
        #expect(count == 396)
        #expect(accepted == 6)
    }

    @Test func independentPolicy_inAnyCategory_isRefused() {
        for category in categories {
            let configuration = SessionConfiguration(category: category, policy: .independent)
            #expect(ConfigurationRules.violation(of: configuration)?.code == .badParam)
        }
    }

    @Test func farFieldInput_withoutHFP_isRefused() {
        let far = SessionOptions.farFieldInput
        let rows: [(configuration: SessionConfiguration, isAllowed: Bool)] = [
            (SessionConfiguration(category: .record, options: far), false),
            (SessionConfiguration(category: .record, options: [far, .allowBluetoothHFP]), true),
            (SessionConfiguration(category: .playAndRecord, options: far), false),
            (SessionConfiguration(category: .playAndRecord, options: [far, .allowBluetoothHFP]), true),
            // The mode brings the permission along.
            (SessionConfiguration(category: .playAndRecord, mode: .voiceChat, options: far), true),
            (SessionConfiguration(category: .playback, options: [far, .allowBluetoothHFP]), false),
        ]
        var count = 0
        for row in rows {
            #expect((ConfigurationRules.violation(of: row.configuration) == nil) == row.isAllowed, "\(row)")
            count += 1
        }
        #expect(count == 6)
    }

    @Test func highQualityRecording_outsideModeDefault_isRefused() {
        for mode in ConfigurationRules.modes(for: .playAndRecord) {
            let configuration = SessionConfiguration(
                category: .playAndRecord, mode: mode, options: .bluetoothHighQualityRecording)
            #expect((ConfigurationRules.violation(of: configuration) == nil) == (mode == .default))
        }
    }

    @Test func unknownOptionBits_inAnyCategory_areRefusedByNumber() {
        for category in categories {
            let configuration = SessionConfiguration(category: category, options: SessionOptions(rawValue: 0x100))
            let violation = ConfigurationRules.violation(of: configuration)
            #expect(violation?.code == .badParam)
            #expect(violation?.message.contains("0x100") == true)
        }
    }

    @Test func modeOptions_inForce_comeFromTheMode() {
        func effective(_ mode: SessionMode) -> SessionOptions {
            ConfigurationRules.effectiveOptions(of: SessionConfiguration(category: .playAndRecord, mode: mode))
        }
        #expect(effective(.default) == [])
        #expect(effective(.voiceChat) == [.allowBluetoothHFP])
        #expect(effective(.videoChat) == [.allowBluetoothHFP, .defaultToSpeaker])
    }

    @Test func mixingOptions_inMultiRoute_needModeDefault() {
        let mixing: [SessionOptions] = [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
        for mode in ConfigurationRules.modes(for: .multiRoute) {
            for option in mixing {
                let violation = ConfigurationRules.violation(
                    of: SessionConfiguration(category: .multiRoute, mode: mode, options: option))
                #expect((violation == nil) == (mode == .default), "\(option) in \(mode)")
            }
            let other = SessionConfiguration(
                category: .multiRoute, mode: mode, options: .overrideMutedMicrophoneInterruption)
            #expect(ConfigurationRules.violation(of: other) == nil)
        }
        #expect(ConfigurationRules.modes(for: .multiRoute) == [.default, .measurement, .spokenAudio, .voicePrompt])
        #expect(
            ConfigurationRules.violation(
                of: SessionConfiguration(category: .multiRoute, mode: .measurement, options: .duckOthers))?.message
                == "Options duckOthers are not allowed with category multiRoute in mode measurement. Allowed mode: "
                + "default. Set mode default, or leave them out.")
    }

    @Test func dualRoute_inMultiRoute_isRefusedWithTheReason() {
        let violation = ConfigurationRules.violation(
            of: SessionConfiguration(category: .multiRoute, mode: .dualRoute))
        #expect(violation?.code == .badParam)
        #expect(
            violation?.message
                == "Mode dualRoute is not allowed with category multiRoute. Allowed modes: default, measurement, "
                + "spokenAudio, voicePrompt. Choose one of these: dualRoute pairs a phone's own microphone and speaker "
                + "with a headset's, and is not supported on Linux. In category multiRoute, mode default plays to all "
                + "outputs at once.")
    }

    @Test func messages_nameTheValueTheAllowedAndTheRemedy() {
        func message(_ configuration: SessionConfiguration) -> String? {
            ConfigurationRules.violation(of: configuration)?.message
        }
        #expect(
            message(SessionConfiguration(category: .playback, options: .defaultToSpeaker))
                == "Options defaultToSpeaker are not allowed with category playback. Allowed options: mixWithOthers, "
                + "duckOthers, interruptSpokenAudioAndMixWithOthers, allowBluetoothA2DP, allowAirPlay. "
                + "Leave them out, or set category playAndRecord.")
        #expect(
            message(SessionConfiguration(category: .record, mode: .moviePlayback))
                == "Mode moviePlayback is not allowed with category record. Allowed modes: default, videoRecording, "
                + "measurement, spokenAudio, voicePrompt. Choose one of these, or set category playback.")
        #expect(
            message(SessionConfiguration(category: .playback, mode: .voicePrompt, policy: .longFormAudio))
                == "Route sharing policy longFormAudio is not allowed with category playback, mode voicePrompt and no "
                + "options. Allowed: category playback, modes default, moviePlayback, spokenAudio, no options. "
                + "Change these, or use policy default.")
        #expect(
            message(SessionConfiguration(category: .playback, policy: .independent))
                == "Route sharing policy independent is set by the system only. Allowed policies: default, longFormAudio, "
                + "longFormVideo. Use default.")
    }

    // Behaviour 86
    @Test func categoryWithoutModeFallsBack() {
        let call = SessionConfiguration(category: .playAndRecord, mode: .voiceChat)
        let music = ConfigurationRules.configuration(call, changedTo: .playback, options: .mixWithOthers)
        #expect(music == SessionConfiguration(category: .playback, options: .mixWithOthers))
        let speech = SessionConfiguration(category: .playback, mode: .spokenAudio, policy: .longFormAudio)
        let recording = ConfigurationRules.configuration(speech, changedTo: .record, options: [])
        #expect(recording == SessionConfiguration(category: .record, mode: .spokenAudio))
        #expect(ConfigurationRules.configuration(speech, changedTo: .playback, options: []) == speech)
        // Options that go with mode default only.
        for (category, options) in [
            (SessionCategory.multiRoute, .mixWithOthers), (.playAndRecord, .bluetoothHighQualityRecording),
        ] as [(SessionCategory, SessionOptions)] {
            let after = ConfigurationRules.configuration(speech, changedTo: category, options: options)
            #expect(after == SessionConfiguration(category: category, options: options))
        }
        for category in SessionCategory.allCases {
            for mode in SessionCategory.allCases.flatMap(ConfigurationRules.modes) {
                let before = SessionConfiguration(category: category, mode: mode)
                for next in SessionCategory.allCases {
                    let after = ConfigurationRules.configuration(before, changedTo: next, options: [])
                    #expect(ConfigurationRules.violation(of: after) == nil, "\(before) to \(next)")
                }
            }
        }
    }

    // Behaviour 87
    @Test func optionsReadBackWithImpliedBits() {
        func read(
            _ category: SessionCategory, _ options: SessionOptions, _ mode: SessionMode = .default
        ) -> SessionOptions {
            ConfigurationRules.readableOptions(
                of: SessionConfiguration(category: category, mode: mode, options: options))
        }
        #expect(read(.playback, .duckOthers) == [.duckOthers, .mixWithOthers])
        #expect(read(.playback, SessionOptions(rawValue: 0x10)) == .interruptSpokenAudioAndMixWithOthers)
        #expect(read(.ambient, []) == .mixWithOthers)
        #expect(read(.soloAmbient, []) == [])
        #expect(read(.playAndRecord, .defaultToSpeaker) == .defaultToSpeaker)
        #expect(read(.playAndRecord, [], .voiceChat) == .allowBluetoothHFP)
        let film = read(.playAndRecord, .mixWithOthers, .videoChat)
        #expect(film == [.mixWithOthers, .allowBluetoothHFP, .defaultToSpeaker])
    }
}
