import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import RuntimeTestSupport
import Testing

/// Every call of the session on a simulated machine: what is set is read back, what is refused changes nothing.
@Suite struct SessionOnASimulatedPhoneTests {
    private struct Configuration: Equatable {
        var category: AVAudioSession.Category
        var mode: AVAudioSession.Mode = .default
        var options: AVAudioSession.CategoryOptions = []
        var policy: AVAudioSession.RouteSharingPolicy = .default
    }

    private func configuration(of session: AVAudioSession) -> Configuration {
        Configuration(
            category: session.category, mode: session.mode, options: session.categoryOptions,
            policy: session.routeSharingPolicy)
    }

    private func code(_ call: () throws -> Void) -> Int? {
        do {
            try call()
            return nil
        } catch {
            return (error as NSError).domain == NSOSStatusErrorDomain ? (error as NSError).code : 0
        }
    }

    @Test func newSession_hasApplesDefaults_andIsNotActive() async throws {
        try await AudioSimulator.run(.phone) { phone in
            #expect(configuration(of: phone.session) == Configuration(category: .soloAmbient))
            #expect(!phone.session.isOtherAudioPlaying && !phone.session.secondaryAudioShouldBeSilencedHint)
            #expect(!phone.session.runtime.state.activation.isActive)
        }
    }

    @Test func setCategory_inEveryForm_isReadBack() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            #expect(configuration(of: session) == Configuration(category: .soloAmbient))
            try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
            #expect(configuration(of: session) == Configuration(category: .playAndRecord, options: .defaultToSpeaker))
            try session.setCategory(.playback)
            #expect(configuration(of: session) == Configuration(category: .playback))
            try session.setCategory(.playback, mode: .moviePlayback, options: [.mixWithOthers, .duckOthers])
            #expect(
                configuration(of: session)
                    == Configuration(category: .playback, mode: .moviePlayback, options: [.mixWithOthers, .duckOthers]))
            try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
            #expect(
                configuration(of: session)
                    == Configuration(category: .playback, mode: .spokenAudio, policy: .longFormAudio))
        }
    }

    @Test func setCategory_refused_changesNothing() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback, mode: .moviePlayback)
            let before = configuration(of: session)
            #expect(code { try session.setCategory(.playback, options: .defaultToSpeaker) } == -50)
            #expect(code { try session.setCategory(.record, mode: .moviePlayback) } == -50)
            #expect(configuration(of: session) == before)
        }
    }

    @Test func setMode_outsideItsCategory_throwsAndChangesNothing() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            #expect(code { try session.setMode(.voiceChat) } == -50)
            #expect(session.mode == .default)
            try session.setCategory(.playAndRecord)
            try session.setMode(.voiceChat)
            #expect(session.mode == .voiceChat)
            #expect(session.category == .playAndRecord)
        }
    }

    @Test func availableModes_areAllThatAreKnown() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let modes = phone.session.availableModes
            #expect(modes.count == 11)
            #expect(Set(modes).count == 11)
        }
    }

    @Test func availableCategories_withoutAnInput_lackThoseThatRecord() async throws {
        try await AudioSimulator.run(.bare) { machine in
            machine.plug(.lineOut)
            let withoutInput = machine.session.availableCategories
            #expect(withoutInput == [.ambient, .soloAmbient, .playback, .multiRoute])
            machine.plug(.builtInMic)
            #expect(Set(machine.session.availableCategories) == Set(withoutInput + [.record, .playAndRecord]))
        }
    }

    @Test func availableInputs_followTheCategory() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            #expect(session.isInputAvailable)
            try session.setCategory(.playback)
            #expect(session.availableInputs == [])
            try session.setCategory(.record)
            #expect(session.availableInputs?.map(\.portType) == [.builtInMic])
        }
        try await AudioSimulator.run(.bare) { machine in
            #expect(!machine.session.isInputAvailable)
        }
    }

    @Test func setActive_onASimulatedPhone_succeedsBothWays() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback)
            try session.setActive(true)
            try session.setActive(true, options: .notifyOthersOnDeactivation)
            try session.setActive(false, options: .notifyOthersOnDeactivation)
            try session.setActive(false)
        }
    }

    @Test func route_onASimulatedPhone_followsThePlug() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback)
            var outputs: [[AVAudioSession.Port]] = []
            outputs.append(session.currentRoute.outputs.map(\.portType))
            phone.plug(.wiredHeadphones)
            outputs.append(session.currentRoute.outputs.map(\.portType))
            let snapshot = session.currentRoute
            phone.unplug(.wiredHeadphones)
            outputs.append(session.currentRoute.outputs.map(\.portType))
            #expect(outputs == [[.builtInSpeaker], [.headphones], [.builtInSpeaker]])
            #expect(snapshot.outputs.map(\.portType) == [.headphones])
            #expect(session.currentRoute.inputs == [])
        }
    }

    @Test func hardwareValues_followTheRoute() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playAndRecord)
            #expect(session.inputNumberOfChannels == session.currentRoute.inputs[0].channels?.count)
            #expect(session.outputNumberOfChannels == session.currentRoute.outputs[0].channels?.count)
            try session.setCategory(.playback)
            #expect(session.inputNumberOfChannels == 0)
            phone.plug(.hdmi)
            #expect(session.outputNumberOfChannels == 8)
            phone.setSampleRate(of: .hdmi, to: 96_000)
            #expect(session.sampleRate == 96_000)
            try session.setCategory(.record)
            #expect(session.outputNumberOfChannels == 0)
        }
    }

    @Test func multiRoute_listsEveryOutput_andSumsTheirChannels() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            #expect(session.availableCategories.contains(.multiRoute))
            phone.plug(.hdmi)
            phone.plug(.wiredHeadset)
            try session.setCategory(.multiRoute)
            let outputs = session.currentRoute.outputs
            #expect(outputs.map(\.portType) == [.HDMI, .headphones])
            #expect(session.currentRoute.inputs.map(\.portType) == [.headsetMic])
            #expect(session.outputNumberOfChannels == 10)
            #expect(session.maximumOutputNumberOfChannels == 10)
            #expect(session.maximumInputNumberOfChannels == session.inputNumberOfChannels)
            let channels = outputs.flatMap { $0.channels ?? [] }
            #expect(channels.map(\.channelNumber) == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2])
            #expect(
                channels.map(\.owningPortUID)
                    == Array(repeating: outputs[0].uid, count: 8) + Array(repeating: outputs[1].uid, count: 2))
            #expect(code { try session.setCategory(.multiRoute, mode: .dualRoute) } == -50)
            #expect(code { try session.setCategory(.multiRoute, mode: .measurement, options: .mixWithOthers) } == -50)
            try session.setCategory(.multiRoute, mode: .default, options: .mixWithOthers)
        }
    }

    @Test func preferredChannels_areReadBack_andStayAWish() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            phone.plug(.hdmi)
            try session.setCategory(.playback)
            #expect(session.preferredOutputNumberOfChannels == 0)
            try session.setPreferredOutputNumberOfChannels(6)
            #expect(session.preferredOutputNumberOfChannels == 6)
            #expect(session.outputNumberOfChannels == 8)
            #expect(code { try session.setPreferredOutputNumberOfChannels(9) } == -50)
            #expect(code { try session.setPreferredOutputNumberOfChannels(-1) } == -50)
            #expect(session.preferredOutputNumberOfChannels == 6)
            let incompatibleCategory = AVAudioSession.ErrorCode.incompatibleCategory.rawValue
            #expect(code { try session.setPreferredInputNumberOfChannels(1) } == incompatibleCategory)
            try session.setCategory(.record)
            try session.setPreferredInputNumberOfChannels(1)
            #expect(session.preferredInputNumberOfChannels == 1)
            #expect(code { try session.setPreferredOutputNumberOfChannels(1) } == incompatibleCategory)
        }
    }

    @Test func preferredInput_isRecordedFrom_untilNilIsPreferred() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            phone.plug(.usbAudio)
            try session.setCategory(.record)
            #expect(session.currentRoute.inputs.map(\.portType) == [.usbAudio])
            #expect(session.preferredInput == nil)
            let microphone = try #require(session.availableInputs?.first { $0.portType == .builtInMic })
            try session.setPreferredInput(microphone)
            #expect(session.preferredInput == microphone)
            #expect(session.currentRoute.inputs == [microphone])
            #expect(code { try session.setPreferredInput(AVAudioSessionPortDescription()) } == -50)
            #expect(session.preferredInput == microphone)
            try session.setPreferredInput(nil)
            #expect(session.preferredInput == nil)
            #expect(session.currentRoute.inputs.map(\.portType) == [.usbAudio])
        }
    }

    @Test func wishes_areReadBack_andStayWishes() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            #expect(session.preferredIOBufferDuration == 0)
            #expect(session.preferredSampleRate == 0)
            #expect(!session.allowHapticsAndSystemSoundsDuringRecording)
            #expect(!session.prefersNoInterruptionsFromSystemAlerts)
            #expect(session.ioBufferDuration == 1024.0 / 48_000)
            try session.setPreferredIOBufferDuration(0.005)
            try session.setPreferredSampleRate(44_100)
            try session.setAllowHapticsAndSystemSoundsDuringRecording(true)
            try session.setPrefersNoInterruptionsFromSystemAlerts(true)
            #expect(session.preferredIOBufferDuration == 0.005)
            #expect(session.ioBufferDuration == 0.005)
            #expect(session.preferredSampleRate == 44_100)
            #expect(session.sampleRate == 48_000)
            #expect(session.allowHapticsAndSystemSoundsDuringRecording)
            #expect(session.prefersNoInterruptionsFromSystemAlerts)
            #expect(session.outputVolume == 1)
            #expect(code { try session.setPreferredIOBufferDuration(-1) } == -50)
            #expect(code { try session.setPreferredSampleRate(.nan) } == -50)
            #expect(session.preferredIOBufferDuration == 0.005)
            #expect(session.preferredSampleRate == 44_100)
            // A simulated machine's cycle is its own.
            let engine = AVAudioEngine()
            _ = engine.mainMixerNode
            try engine.start()
            #expect(session.ioBufferDuration == 0.01)
            engine.stop()
        }
    }

    @Test func overrideOutputAudioPort_outsidePlayAndRecord_throwsBadParam() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback)
            phone.plug(.wiredHeadphones)
            #expect(code { try session.overrideOutputAudioPort(.speaker) } == -50)
            #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
            try session.setCategory(.playAndRecord)
            try session.overrideOutputAudioPort(.speaker)
            #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            try session.overrideOutputAudioPort(.none)
            #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
        }
    }
}
