import Foundation
import OpenAudioSession
import RuntimeTestSupport
import Testing

/// Row by row, the raw values that code in use compares, stores and sends; from the tables of Apple's headers.
@Suite struct RawValueTests {
    @Test func category_rawValues_areTheObjectiveCSymbols() {
        let rows: [(AVAudioSession.Category, String)] = [
            (.ambient, "AVAudioSessionCategoryAmbient"),
            (.soloAmbient, "AVAudioSessionCategorySoloAmbient"),
            (.playback, "AVAudioSessionCategoryPlayback"),
            (.record, "AVAudioSessionCategoryRecord"),
            (.playAndRecord, "AVAudioSessionCategoryPlayAndRecord"),
            (.multiRoute, "AVAudioSessionCategoryMultiRoute"),
        ]
        #expect(rows.count == 6)
        for (value, raw) in rows {
            #expect(value.rawValue == raw)
            #expect(AVAudioSession.Category(rawValue: raw) == value)
        }
    }

    @Test func mode_rawValues_areTheObjectiveCSymbols() {
        let rows: [(AVAudioSession.Mode, String)] = [
            (.default, "AVAudioSessionModeDefault"),
            (.voiceChat, "AVAudioSessionModeVoiceChat"),
            (.gameChat, "AVAudioSessionModeGameChat"),
            (.videoRecording, "AVAudioSessionModeVideoRecording"),
            (.measurement, "AVAudioSessionModeMeasurement"),
            (.moviePlayback, "AVAudioSessionModeMoviePlayback"),
            (.videoChat, "AVAudioSessionModeVideoChat"),
            (.spokenAudio, "AVAudioSessionModeSpokenAudio"),
            (.voicePrompt, "AVAudioSessionModeVoicePrompt"),
            (.shortFormVideo, "AVAudioSessionModeShortFormVideo"),
            (.dualRoute, "AVAudioSessionModeDualRoute"),
        ]
        #expect(rows.count == 11)
        for (value, raw) in rows {
            #expect(value.rawValue == raw)
            #expect(AVAudioSession.Mode(rawValue: raw) == value)
        }
    }

    @Test func port_rawValues_areTheShortNames() {
        let rows: [(AVAudioSession.Port, String)] = [
            (.lineIn, "LineIn"), (.builtInMic, "MicrophoneBuiltIn"), (.headsetMic, "MicrophoneWired"),
            (.continuityMicrophone, "ContinuityMicrophone"),
            (.lineOut, "LineOut"), (.headphones, "Headphones"), (.bluetoothA2DP, "BluetoothA2DPOutput"),
            (.builtInReceiver, "Receiver"), (.builtInSpeaker, "Speaker"), (.HDMI, "HDMIOutput"),
            (.airPlay, "AirPlay"),
            (.bluetoothLE, "BluetoothLE"), (.bluetoothHFP, "BluetoothHFP"), (.usbAudio, "USBAudio"),
            (.carAudio, "CarAudio"), (.virtual, "Virtual"), (.PCI, "PCI"), (.fireWire, "FireWire"),
            (.displayPort, "DisplayPort"), (.AVB, "AVB"), (.thunderbolt, "Thunderbolt"),
        ]
        #expect(rows.count == 21)
        for (value, raw) in rows { #expect(value.rawValue == raw) }
        #expect(Set(rows.map(\.0)).count == 21)
    }

    @Test func categoryOptions_bits_areApples() {
        let rows: [(AVAudioSession.CategoryOptions, UInt)] = [
            (.mixWithOthers, 0x1), (.duckOthers, 0x2), (.allowBluetoothHFP, 0x4), (.defaultToSpeaker, 0x8),
            (.interruptSpokenAudioAndMixWithOthers, 0x11), (.allowBluetoothA2DP, 0x20), (.allowAirPlay, 0x40),
            (.overrideMutedMicrophoneInterruption, 0x80), (.farFieldInput, 262_144),
            (.bluetoothHighQualityRecording, 524_288),
        ]
        #expect(rows.count == 10)
        for (value, raw) in rows { #expect(value.rawValue == raw) }
        #expect(AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers.contains(.mixWithOthers))
    }

    @available(*, deprecated, message: "reads the deprecated names")
    @Test func deprecatedNames_stillMeanTheSame() {
        #expect(AVAudioSession.CategoryOptions.allowBluetooth == .allowBluetoothHFP)
        #expect(AVAudioSession.RouteSharingPolicy.longForm == .longFormAudio)
    }

    @Test func setActiveOptions_bit_isApples() {
        #expect(AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation.rawValue == 1)
    }

    @Test func routeChangeReason_rawValues_haveNoFive() {
        let rows: [(AVAudioSession.RouteChangeReason, UInt)] = [
            (.unknown, 0), (.newDeviceAvailable, 1), (.oldDeviceUnavailable, 2), (.categoryChange, 3), (.override, 4),
            (.wakeFromSleep, 6), (.noSuitableRouteForCategory, 7), (.routeConfigurationChange, 8),
        ]
        #expect(rows.count == 8)
        for (value, raw) in rows {
            #expect(value.rawValue == raw)
            #expect(AVAudioSession.RouteChangeReason(rawValue: raw) == value)
        }
        #expect(AVAudioSession.RouteChangeReason(rawValue: 5) == nil)
    }

    @Test func recordPermission_rawValues_areApples() {
        let rows: [(AVAudioSession.RecordPermission, AVAudioApplication.recordPermission, String)] = [
            (.undetermined, .undetermined, "undt"), (.denied, .denied, "deny"), (.granted, .granted, "grnt"),
        ]
        for (old, new, code) in rows {
            #expect(old.rawValue == UInt(fourCharacters(code)))
            #expect(new.rawValue == fourCharacters(code))
        }
    }

    @Test func portOverride_rawValues_areApples() {
        #expect(AVAudioSession.PortOverride.none.rawValue == 0)
        #expect(AVAudioSession.PortOverride.speaker.rawValue == UInt(fourCharacters("spkr")))
    }

    @Test func routeSharingPolicy_rawValues_areApples() {
        let rows: [(AVAudioSession.RouteSharingPolicy, UInt)] = [
            (.default, 0), (.longFormAudio, 1), (.independent, 2), (.longFormVideo, 3),
        ]
        #expect(rows.count == 4)
        for (value, raw) in rows { #expect(value.rawValue == raw) }
    }

    @Test func errorCode_rawValues_areApples() {
        let rows: [(AVAudioSession.ErrorCode, Int)] = [
            (.none, 0), (.mediaServicesFailed, fourCharacters("msrv")), (.isBusy, fourCharacters("!act")),
            (.incompatibleCategory, fourCharacters("!cat")), (.cannotInterruptOthers, fourCharacters("!int")),
            (.missingEntitlement, fourCharacters("ent?")), (.siriIsRecording, fourCharacters("siri")),
            (.cannotStartPlaying, fourCharacters("!pla")), (.cannotStartRecording, fourCharacters("!rec")),
            (.badParam, -50), (.insufficientPriority, fourCharacters("!pri")),
            (.resourceNotAvailable, fourCharacters("!res")), (.unspecified, fourCharacters("what")),
            (.expiredSession, fourCharacters("!ses")), (.sessionNotActive, fourCharacters("inac")),
        ]
        #expect(rows.count == 15)
        for (value, raw) in rows { #expect(value.rawValue == raw) }
        // One in decimal, so that the helper below is checked too.
        #expect(AVAudioSession.ErrorCode.isBusy.rawValue == 560_030_580)
    }

    @Test func interruptionValues_areApples() {
        typealias Session = AVAudioSession
        #expect(Session.InterruptionType.ended.rawValue == 0)
        #expect(Session.InterruptionType.began.rawValue == 1)
        #expect(Session.InterruptionOptions.shouldResume.rawValue == 1)
        let reasons: [(Session.InterruptionReason, UInt)] = [
            (.default, 0), (.appWasSuspended, 1), (.builtInMicMuted, 2), (.sceneWasBackgrounded, 3),
            (.routeDisconnected, 4), (.deviceUnauthenticated, 5),
        ]
        #expect(reasons.count == 6)
        for (value, raw) in reasons {
            #expect(value.rawValue == raw)
            #expect(Session.InterruptionReason(rawValue: raw) == value)
        }
        #expect(Session.InterruptionReason(rawValue: 6) == nil)
        #expect(Session.SilenceSecondaryAudioHintType.end.rawValue == 0)
        #expect(Session.SilenceSecondaryAudioHintType.begin.rawValue == 1)
    }

    @Test func lifecycleValues_areApples() {
        #expect(AVAudioSession.DeactivationSource.app.rawValue == 1)
        #expect(AVAudioSession.DeactivationSource.system.rawValue == 2)
        #expect(AVAudioSession.DeactivationSource(rawValue: 0) == nil)
        #expect(AVAudioSession.ResumptionRecommendation.shouldNotResume.rawValue == 0)
        #expect(AVAudioSession.ResumptionRecommendation.shouldResume.rawValue == 1)
        #expect(AVAudioSessionDeactivationOptions.notifyOthersOnDeactivation.rawValue == 1)
        #expect(AVAudioSessionActivationOptions().rawValue == 0)
    }

    @Test func mainThreadNotificationNamesAndKeys_areApplesStrings() {
        let names: [(Notification.Name, String)] = [
            (AVAudioSession.interruptionNotification, "AVAudioSessionInterruptionNotification"),
            (
                AVAudioSession.silenceSecondaryAudioHintNotification,
                "AVAudioSessionSilenceSecondaryAudioHintNotification"
            ),
            (AVAudioSession.mediaServicesWereLostNotification, "AVAudioSessionMediaServicesWereLostNotification"),
            (AVAudioSession.mediaServicesWereResetNotification, "AVAudioSessionMediaServicesWereResetNotification"),
            (AVAudioSession.didBecomeActiveNotification, "AVAudioSessionDidBecomeActiveNotification"),
            (AVAudioSession.didBecomeInactiveNotification, "AVAudioSessionDidBecomeInactiveNotification"),
            (
                AVAudioSession.resumptionRecommendationNotification,
                "AVAudioSessionResumptionRecommendationNotification"
            ),
        ]
        #expect(names.count == 7)
        for (name, raw) in names { #expect(name.rawValue == raw) }
        #expect(AVAudioSessionInterruptionTypeKey == "AVAudioSessionInterruptionTypeKey")
        #expect(AVAudioSessionInterruptionOptionKey == "AVAudioSessionInterruptionOptionKey")
        #expect(AVAudioSessionInterruptionReasonKey == "AVAudioSessionInterruptionReasonKey")
        #expect(AVAudioSessionSilenceSecondaryAudioHintTypeKey == "AVAudioSessionSilenceSecondaryAudioHintTypeKey")
        #expect(AVAudioSession.deactivationContextKey == "AVAudioSessionDeactivationContextKey")
        #expect(AVAudioSession.resumptionContextKey == "AVAudioSessionResumptionContextKey")
    }

    @Test func notificationNamesAndKeys_areApplesStrings() {
        #expect(AVAudioSession.routeChangeNotification.rawValue == "AVAudioSessionRouteChangeNotification")
        #expect(
            AVAudioSession.availableInputsChangeNotification.rawValue
                == "AVAudioSessionAvailableInputsChangeNotification")
        #expect(AVAudioSessionRouteChangeReasonKey == "AVAudioSessionRouteChangeReasonKey")
        #expect(AVAudioSessionRouteChangePreviousRouteKey == "AVAudioSessionRouteChangePreviousRouteKey")
    }

    @Test func channelLabels_areCoreAudios() {
        let rows: [(AudioChannelLabel, UInt32)] = [
            (kAudioChannelLabel_Unknown, 0xFFFF_FFFF), (kAudioChannelLabel_Left, 1), (kAudioChannelLabel_Right, 2),
            (kAudioChannelLabel_Center, 3), (kAudioChannelLabel_LFEScreen, 4), (kAudioChannelLabel_LeftSurround, 5),
            (kAudioChannelLabel_RightSurround, 6), (kAudioChannelLabel_CenterSurround, 9),
            (kAudioChannelLabel_RearSurroundLeft, 33), (kAudioChannelLabel_RearSurroundRight, 34),
            (kAudioChannelLabel_Mono, 42), (kAudioChannelLabel_Discrete_0, 65_536),
        ]
        #expect(rows.count == 12)
        for (value, raw) in rows { #expect(value == raw) }
    }
}

/// Four ASCII characters read as a big-endian number, as Apple's codes are written.
private func fourCharacters(_ text: String) -> Int {
    text.utf8.reduce(0) { $0 << 8 | Int($1) }
}
