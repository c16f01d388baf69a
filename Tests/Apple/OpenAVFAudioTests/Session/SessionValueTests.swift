import Foundation
import OpenAVFAudioTestKit
import OpenAudioSession
import TestSupport
import Testing

/// Values and preferences of the session that depend on nothing but the session itself.
@Suite struct SessionValueTests {
    @Test func smallEnumerations_haveApplesRawValues() {
        #expect(
            [AVAudioSession.PromptStyle.none, .short, .normal].map(\.rawValue) == [1852796517, 1936224884, 1852992876])
        #expect(AVAudioSession.IOType.notSpecified.rawValue == 0 && AVAudioSession.IOType.aggregated.rawValue == 1)
        let orientations: [AVAudioSession.StereoOrientation] = [
            .none, .portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft,
        ]
        #expect(orientations.map(\.rawValue) == Array(0...4))
        let modes: [AVAudioSession.RenderingMode] = [
            .notApplicable, .monoStereo, .surround, .spatialAudio, .dolbyAudio, .dolbyAtmos,
        ]
        #expect(modes.map(\.rawValue) == Array(0...5))
        #expect([AVAudioSession.MicrophoneInjectionMode.none, .spokenAudio].map(\.rawValue) == [0, 1])
        let permissions: [AVAudioApplication.MicrophoneInjectionPermission] = [
            .serviceDisabled, .undetermined, .denied, .granted,
        ]
        #expect(permissions.map(\.rawValue) == [0, 1970168948, 1684369017, 1735552628])
        #expect([AVAudioSession.RouteSelection.none, .local, .external].map(\.rawValue) == [0, 1, 2])
        #expect(AVAudioSession.InterruptionReason.sceneWasBackgrounded.rawValue == 3)
        #expect(AVAudioSession.InterruptionReason.deviceUnauthenticated.rawValue == 5)
        #expect(AVAudioSession.Port.mediaDeviceExtension.rawValue == "MediaDeviceExtension")
    }

    @Test func stringConstants_areApples() {
        #expect([AVAudioSession.Location.upper, .lower].map(\.rawValue) == ["Upper", "Lower"])
        let orientations: [AVAudioSession.Orientation] = [.top, .bottom, .front, .back, .left, .right]
        #expect(orientations.map(\.rawValue) == ["Top", "Bottom", "Front", "Back", "Left", "Right"])
        let patterns: [AVAudioSession.PolarPattern] = [.omnidirectional, .cardioid, .subcardioid, .stereo]
        #expect(patterns.map(\.rawValue) == ["Omnidirectional", "Cardioid", "Subcardioid", "Stereo"])
        let names: [NSNotification.Name] = [
            AVAudioSession.outputMuteStateChangeNotification, AVAudioSession.userIntentToUnmuteOutputNotification,
            AVAudioSession.renderingModeChangeNotification, AVAudioSession.renderingCapabilitiesChangeNotification,
            AVAudioSession.spatialPlaybackCapabilitiesChangedNotification,
            AVAudioSession.microphoneInjectionCapabilitiesChangeNotification,
        ]
        #expect(
            names.map(\.rawValue) == [
                "AVAudioSessionOutputMuteStateChangeNotification", "AVAudioSessionUserIntentToUnmuteOutputNotification",
                "AVAudioSessionRenderingModeChangeNotification",
                "AVAudioSessionRenderingCapabilitiesChangeNotification",
                "AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification",
                "AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification",
            ])
        #expect(
            AVAudioApplication.inputMuteStateChangeNotification.rawValue
                == "AVAudioApplicationInputMuteStateChangeNotification")
        #expect(AVAudioApplication.muteStateKey == "AVAudioApplicationMuteStateKey")
        #expect(AVAudioSession.muteStateKey == "AVAudioSessionMuteStateKey")
        #expect(AVAudioSessionSpatialAudioEnabledKey == "AVAudioSessionSpatialAudioEnabledKey")
        #expect(AVAudioSessionInterruptionWasSuspendedKey == "AVAudioSessionInterruptionWasSuspendedKey")
        #expect(
            AVAudioSessionMicrophoneInjectionIsAvailableKey == "AVAudioSessionMicrophoneInjectionIsAvailableKey")
    }

    @Test func preferences_withoutEffect_areReadBack() async throws {
        try await AudioSimulator.run(.phone) { _ in
            let session = AVAudioSession.sharedInstance()
            #expect(!session.supportsMultichannelContent && !session.prefersEchoCancelledInput)
            try session.setSupportsMultichannelContent(true)
            #expect(session.supportsMultichannelContent)
            #expect(throws: (any Error).self) { try session.setPrefersEchoCancelledInput(true) }
            #expect(throws: (any Error).self) { try session.setAggregatedIOPreference(.aggregated) }
            try session.setCategory(.playAndRecord)
            try session.setAggregatedIOPreference(.aggregated)
            try session.setPrefersEchoCancelledInput(true)
            #expect(session.prefersEchoCancelledInput)
            try session.setPreferredInputOrientation(.landscapeLeft)
            #expect(session.preferredInputOrientation == .landscapeLeft && session.inputOrientation == .none)
            #expect(!session.isMicrophoneInjectionAvailable && session.preferredMicrophoneInjectionMode == .none)
            try session.setPreferredMicrophoneInjectionMode(.none)
            #expect(throws: (any Error).self) { try session.setPreferredMicrophoneInjectionMode(.spokenAudio) }
            #expect(session.supportedOutputChannelLayouts.isEmpty)
        }
    }

    @Test func renderingMode_followsTheChannelsOfTheRoute() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            phone.settle()
            let story = History<Int>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.renderingModeChangeNotification, object: session, queue: nil
            ) { story.append($0.userInfo?[AVAudioSessionRenderingModeNewRenderingModeKey] as? Int ?? -1) }
            defer { NotificationCenter.default.removeObserver(token) }
            #expect(session.renderingMode == .monoStereo)
            phone.plug(.hdmi)
            #expect(session.renderingMode == .surround)
            phone.plug(.wiredHeadphones)
            #expect(story.entries == [2, 1])
        }
    }

    @Test func routeSelection_isLocalWhereThereIsAnOutput() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let answers = History<String>()
            AVAudioSession.sharedInstance().prepareRouteSelectionForPlayback { mayStart, selection in
                answers.append("\(mayStart) \(selection)")
            }
            phone.settle()
            #expect(answers.entries == ["true local"])
        }
    }

    @Test func promptStyle_isNoneDuringACall() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            #expect(session.promptStyle == .normal)
            phone.receiveCall()
            #expect(session.promptStyle == .none)
            phone.endCall()
            #expect(session.promptStyle == .normal)
        }
    }

    @Test func dataSources_ofACardWithTwoMicrophones_moveTheRoute() async throws {
        try await AudioSimulator.run(.desktop) { machine in
            let session = AVAudioSession.sharedInstance()
            machine.plug(.frontMicrophone)
            machine.plug(.rearMicrophone)
            try session.setCategory(.playAndRecord)
            let sources = try #require(session.inputDataSources)
            #expect(Set(sources.map(\.dataSourceName)) == ["Front Microphone", "Rear Microphone"])
            #expect(session.inputDataSource?.dataSourceName == "Rear Microphone")
            let front = try #require(sources.first { $0.orientation == .front })
            #expect(front.dataSourceName == "Front Microphone" && front.location == nil)
            #expect(front.supportedPolarPatterns == nil && front.selectedPolarPattern == nil)
            #expect(front.preferredPolarPattern == nil)
            try front.setPreferredPolarPattern(nil)
            #expect(throws: (any Error).self) { try front.setPreferredPolarPattern(.cardioid) }

            let port = try #require(session.currentRoute.inputs.first)
            #expect(port.dataSources == sources && port.preferredDataSource == nil)
            try port.setPreferredDataSource(front)
            #expect(port.preferredDataSource == front)
            #expect(session.currentRoute.inputs.first?.portName == "Front Microphone")
            #expect(throws: (any Error).self) {
                try port.setPreferredDataSource(AVAudioSessionDataSourceDescription())
            }
            try session.setInputDataSource(nil)
            #expect(session.preferredInput == nil)
            try session.setInputDataSource(sources.first { $0 != front })
            #expect(session.currentRoute.inputs.first?.portName == "Rear Microphone")
        }
    }

    @Test func selectedDataSource_isTheRouteInUse() async throws {
        try await AudioSimulator.run(.laptop) { machine in
            let session = AVAudioSession.sharedInstance()
            machine.plug(.headphonesInJack)
            let port = try #require(session.currentRoute.outputs.first)
            #expect(port.selectedDataSource?.dataSourceName == port.portName)
            #expect(port.description.contains("selectedDataSource = Headphones"))
            let source = try #require(port.selectedDataSource)
            #expect(source.description.contains("name = Headphones"))
            #expect(AVAudioSessionDataSourceDescription().dataSourceName == "")
        }
    }

    @Test func port_saysWhatItsHardwareCanDo() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            phone.plug(.bluetoothHFP)
            try session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
            let ports = session.availableInputs ?? []
            let headset = try #require(ports.first { $0.portType == .bluetoothHFP })
            let builtIn = try #require(ports.first { $0.portType == .builtInMic })
            #expect(headset.hasHardwareVoiceCallProcessing && !builtIn.hasHardwareVoiceCallProcessing)
            #expect(!headset.isSpatialAudioEnabled && builtIn.dataSources == nil)
            let capabilities = try #require(headset.bluetoothMicrophoneExtension)
            #expect(!capabilities.highQualityRecording.isSupported && !capabilities.highQualityRecording.isEnabled)
            #expect(!capabilities.farFieldCapture.isSupported && builtIn.bluetoothMicrophoneExtension == nil)
        }
    }

    @Test func outputMute_raisedVolume_tellsTheUsersIntent() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            phone.setVolume(of: .builtInSpeaker, to: 0.5)
            #expect(session.outputVolume == 0.5)
            let story = History<String>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.userIntentToUnmuteOutputNotification, object: session, queue: nil
            ) { _ in story.append("unmute") }
            defer { NotificationCenter.default.removeObserver(token) }
            try session.setOutputMuted(true)
            phone.setVolume(of: .builtInSpeaker, to: 0.6)
            #expect(story.entries == ["unmute"] && session.isOutputMuted)
        }
    }

    private final class OldDelegate: AVAudioSessionDelegate {
        let story = History<String>()
        func beginInterruption() { story.append("begin") }
        func endInterruption(withFlags flags: Int) { story.append("end \(flags)") }
        func inputIsAvailableChanged(_ isInputAvailable: Bool) { story.append("input \(isInputAvailable)") }
    }
    private final class OlderDelegate: AVAudioSessionDelegate {
        let story = History<String>()
        func endInterruption() { story.append("end") }
    }

    @available(*, deprecated) @Test func deprecatedMembers_meanWhatReplacedThem() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            let delegate = OldDelegate()
            session.delegate = delegate
            try session.setCategory(.playAndRecord)
            try session.setPreferredHardwareSampleRate(44_100)
            #expect(session.preferredHardwareSampleRate == 44_100)
            #expect(session.currentHardwareSampleRate == session.sampleRate)
            #expect(session.currentHardwareInputNumberOfChannels == session.inputNumberOfChannels)
            #expect(session.currentHardwareOutputNumberOfChannels == session.outputNumberOfChannels)
            #expect(session.inputIsAvailable == session.isInputAvailable)
            try session.setActive(true)
            phone.receiveCall()
            phone.endCall()
            phone.unplug(.builtInMic)
            phone.settle()
            #expect(
                delegate.story.entries.filter { $0 != "input true" } == [
                    "begin", "end \(AVAudioSessionInterruptionFlags_ShouldResume)", "input false",
                ])
            let older = OlderDelegate()
            session.delegate = older
            #expect(session.delegate === older)
            try session.setActive(true)
            phone.receiveCall()
            phone.endCall()
            #expect(older.story.entries == ["end"])
            try session.setActive(false, withFlags: AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation)
            #expect(throws: (any Error).self) { try session.setCategory(.audioProcessing) }
        }
    }
}
