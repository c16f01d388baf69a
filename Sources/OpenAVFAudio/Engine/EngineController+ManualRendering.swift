import CAudioTypes
import CRealtime
import EngineCore
import Foundation
import Synchronization

// App threads. All but the rendering with `lifecycle` held.
extension EngineController {
    func beginManualRendering(_ manual: ManualRendering) throws {
        guard !isRunning else {
            throw NSError.audio(
                AVAudioEngineManualRenderingError.initialized.rawValue,
                "Manual rendering was asked for while the engine runs: stop it first.")
        }
        guard manual.format.channelCount > 0, manual.format.sampleRate > 0,
            SampleCoding(manual.format.streamDescription.pointee) != nil
        else {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "Manual rendering can not be in the format \(manual.format): give linear PCM with at least one channel and "
                    + "a rate above 0 Hz.")
        }
        guard (1...Self.mostManualFrames).contains(manual.maximumFrames) else {
            throw NSError.audio(
                kAudioUnitErr_InvalidPropertyValue,
                "Manual rendering was asked for with at most \(manual.maximumFrames) frames at once: give 1 to "
                    + "\(Self.mostManualFrames).")
        }
        stop()
        exchangeRenderer { state in
            state.manual = manual
            state.adopt(OutputDevice(StreamFormat(manual.format)))
            state.adoptInput(nil)
        }
    }

    /// Each source keeps memory for so many frames.
    private static let mostManualFrames: AVAudioFrameCount = 1 << 20

    func endManualRendering() {
        guard state.withLock({ $0.manual }) != nil else { return }
        exchangeRenderer { $0.manual = nil }
        refreshDevice()
    }

    private func exchangeRenderer(_ body: (inout State) -> Void) {
        transport.apply(.stopped)
        state.withLock {
            $0.renderer = nil
            $0.feeds = [:]
            $0.forgetInput()
            body(&$0)
            $0.aim()
            $0.update()
        }
        syncSources()
    }

    func startByHand() throws {
        guard let manual = state.withLock({ $0.manual }) else { return }
        try checkGraph()
        prepareRenderer(sampleRate: manual.format.sampleRate, maximumFrames: Int(manual.maximumFrames))
        transport.apply(.manualRenderingStarted)
        state.withLock { $0.publish() }
    }

    /// False where the input's block has too few frames: none are rendered then.
    func renderOffline(_ frames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer) throws -> Bool {
        guard let manual = state.withLock({ $0.manual }), manual.mode == .offline else {
            throw NSError.audio(
                AVAudioEngineManualRenderingError.invalidMode.rawValue,
                "renderOffline was called without offline mode: call enableManualRenderingMode(.offline, ...) first.")
        }
        guard buffer.format == manual.format, frames <= buffer.frameCapacity else {
            throw NSError.audio(
                kAudio_ParamError,
                "renderOffline was called for \(frames) frames with a buffer for \(buffer.frameCapacity) of \(buffer.format)"
                    + ": give one with room for them, of \(manual.format).")
        }
        let status = render(frames) { planes in
            buffer.frameLength = frames
            buffer.write(planes, frames: Int(frames))
        }
        guard let status else {
            buffer.frameLength = 0
            return false
        }
        guard status == noErr else {
            buffer.frameLength = 0
            throw NSError.audio(
                status,
                status == kAudio_ParamError
                    ? "renderOffline was called for \(frames) frames: ask for at most \(manual.maximumFrames)."
                    : "renderOffline was called while the engine does not run: start it first.")
        }
        return true
    }

    /// Nil where the input's block has too few frames: none are rendered then.
    func render(_ frames: AVAudioFrameCount, into list: UnsafeMutablePointer<AudioBufferList>) -> OSStatus? {
        guard let format = state.withLock({ $0.manual?.format }) else {
            return AVAudioEngineManualRenderingError.invalidMode.rawValue
        }
        guard frames > 0 else { return noErr }
        for index in 0..<UnsafeMutableAudioBufferListPointer(list).count {
            UnsafeMutableAudioBufferListPointer(list)[index].mDataByteSize =
                frames * format.streamDescription.pointee.mBytesPerFrame
        }
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list) else { return kAudio_ParamError }
        return render(frames) { buffer.write($0, frames: Int(frames)) }
    }

    /// - Parameter write: gets [channel] pointers to the frames.
    /// - Returns: nil where the input's block has too few frames: none are rendered then.
    private func render(_ frames: AVAudioFrameCount, _ write: ([UnsafeMutablePointer<Float>]) -> Void) -> OSStatus? {
        let (renderer, manual) = state.withLock { ($0.renderer, $0.manual) }
        guard let renderer, let manual, isRunning else { return AVAudioEngineManualRenderingError.notRunning.rawValue }
        guard frames <= manual.maximumFrames else { return kAudio_ParamError }
        guard frames > 0 else { return noErr }
        guard takeManualInput(Int(frames), rate: manual.format.sampleRate) else { return nil }
        let areHandlersDone = settleHandlers { feeder.pump(minimumFrames: Int(frames)) }
        let channels = Int(manual.format.channelCount)
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: channels * Int(frames))
        defer { memory.deallocate() }
        let planes = (0..<channels).map { memory + $0 * Int(frames) }
        let outputs = planes.map { Optional($0) }
        outputs.withUnsafeBufferPointer { outputs in
            var cycle = oav_cycle(
                outputs: outputs.baseAddress, output_channels: UInt32(channels), frames: frames, flags: 0,
                sample_rate: manual.format.sampleRate,
                host_time_ns: AVAudioTime.hostTime(
                    forSeconds: Double(manual.sampleTime) / manual.format.sampleRate),
                inputs: nil, input_channels: 0)
            var renderer = renderer.renderer
            oav_renderer_call(&renderer, &cycle)
        }
        write(planes)
        state.withLock { $0.manual?.sampleTime += Int64(frames) }
        _ = renderer.takeEvents()
        drainTaps()
        for source in state.withLock({ $0.nodes.values.compactMap(\.source) }) { source.noteRendered() }
        // One that waits for this call is waited for once.
        if areHandlersDone { settleHandlers {} }
        return noErr
    }

    /// Seconds from the engine to the air; 0 without a stream.
    var outputLatency: TimeInterval {
        let (frames, rate) = state.withLock { ($0.latencyFrames, $0.renderer?.sampleRate) }
        return rate.map { Double(frames) / $0 } ?? 0
    }
}

extension EngineController.State {
    /// The input is another one from now on: its block and its tap go.
    fileprivate mutating func forgetInput() {
        guard let node = input?.node else { return }
        input?.manual = nil
        guard taps.removeValue(forKey: node) != nil else { return }
        // Attached as long as the engine lives: it can not fail.
        try? graph.setTapped(false, node)
    }
}
