import AudioModel
import EngineCore
import SessionCore
internal import SessionRuntime

// App threads, but for the last two parts.
extension EngineController {
    package var voiceSettings: VoiceSettings? { state.withLock { $0.voice.settings } }

    /// Switches voice processing on or off, for both streams; the streams of an engine that was prepared are closed.
    ///
    /// - Throws: why it cannot be; nothing has changed then.
    package func setVoiceProcessing(_ isEnabled: Bool) throws(EngineError) {
        try lifecycle.withLock { _ throws(EngineError) in
            guard state.withLock({ ($0.voice.settings != nil) != isEnabled }) else { return }
            guard state.withLock({ $0.manual }) == nil else { throw .voiceProcessing(.inManualRendering) }
            guard !isRunning else { throw .voiceProcessing(.whileRunning) }
            if isEnabled, let problem = EchoCancellation.problem {
                throw .voiceProcessing(.unavailable(problem))
            }
            stopNow()
            state.withLock {
                $0.voice.settings = isEnabled ? VoiceSettings() : nil
                $0.voice.setStage(nil)
            }
        }
    }

    /// Does nothing while voice processing is off.
    package func changeVoiceSettings(_ body: (inout VoiceSettings) -> Void) {
        state.withLock { state in
            guard var settings = state.voice.settings else { return }
            body(&settings)
            state.voice.settings = settings
            state.voice.apply()
        }
    }

    package func setSpeechListener(_ listener: SpeechListener?) { state.change { $0.voice.speechListener = listener } }

    /// Seconds that voice processing adds to what is captured.
    var voiceLatency: Double { state.withLock { $0.voice.stage == nil ? 0 : VoiceFeed.latencySeconds } }

    // MARK: Starting, with `lifecycle` held

    /// With voice processing the mode is `voiceChat` where the app has set none.
    ///
    /// Source: SDK header AVAudioSessionTypes.h, `AVAudioSessionModeVoiceChat`.
    func beginConversation(on runtime: SessionRuntime) throws(EngineError) {
        var configuration = runtime.state.configuration
        guard voiceSettings != nil, configuration.category == .playAndRecord, configuration.mode == .default else {
            return
        }
        configuration.mode = .voiceChat
        do throws(SessionError) {
            try runtime.perform { [configuration] call, _ in .configurationRequested(call, configuration) }
        } catch {
            throw .session(error)
        }
    }

    /// Makes what the streams go through before they are opened, where the app or the session wants it.
    ///
    /// - Throws: why the app's voice processing cannot be; where only the session prefers it, it is left out.
    func prepareVoice(on runtime: SessionRuntime) throws(EngineError) {
        let (input, voice) = state.withLock { ($0.input, $0.voice) }
        let isPreferred = runtime.state.prefersEchoCancellation && EchoCancellation.problem == nil
        guard let device = input?.device, voice.settings != nil || isPreferred else {
            if transport.openStreams.isEmpty { state.withLock { $0.voice.setStage(nil) } }
            return
        }
        if let stage = voice.stage, stage.feed.sampleRate == device.sampleRate { return }
        if voice.stage != nil {
            // They go through a stage of another rate.
            closeInput()
            transport.close(.output)
        }
        // Streams that go through none already stay so until they are opened again.
        guard transport.openStreams.isEmpty else { return }
        do throws(EngineError) {
            let stage = try VoiceStage(sampleRate: device.sampleRate, referenceRate: runtime.host.sampleRate)
            state.withLock { $0.voice.setStage(stage) }
        } catch {
            state.withLock { $0.voice.setStage(nil) }
            if voice.settings != nil { throw error }
        }
    }

    // MARK: Session thread

    /// The way from the output to the input may be another one.
    func noteRoundTrip() {
        guard let stage = state.withLock({ $0.voice.stage }) else { return }
        let output = Double(transport.latencyFrames(.output)) / runtime.host.sampleRate
        let input = Double(transport.latencyFrames(.input)) / stage.feed.sampleRate
        stage.feed.setRoundTrip(seconds: output + input)
    }

    // MARK: The thread that feeds

    /// Has the app told of speech into a muted input.
    func noteSpeech() {
        guard let event = state.withLock({ $0.voice.takeSpeechEvent() }) else { return }
        handlers.taps.enqueue { event.listener(event.isSpeaking) }
    }
}
