internal import CAudioTypes
internal import Foundation

// An engine that no device asks for frames, but the app: to make files, to test, or by a clock of its own.
//
// Source: SDK header AVAudioEngine.h (iOS 11).
extension AVAudioEngine {
    /// Has the app ask for frames from now on.
    ///
    /// The output node has this format then; a tap on the input is gone, connections stay. Nothing of the session is
    /// needed.
    ///
    /// - Parameter maximumFrameCount: the most frames of one request.
    /// - Throws: `NSError` with the code `initialized` while the engine runs; `kAudioUnitErr_FormatNotSupported` for a
    ///   format that is not linear PCM with channels and a rate; `kAudioUnitErr_InvalidPropertyValue` for no frames.
    public func enableManualRenderingMode(
        _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat,
        maximumFrameCount: AVAudioFrameCount
    ) throws {
        try control.lifecycle.withLock {
            try control.beginManualRendering(
                ManualRendering(mode: mode, format: pcmFormat, maximumFrames: maximumFrameCount))
        }
    }

    /// Stops, and plays on the session's route again from the next start on; a tap on the input is gone.
    public func disableManualRenderingMode() { control.lifecycle.withLock { control.endManualRendering() } }

    public var isInManualRenderingMode: Bool { control.state.withLock { $0.manual } != nil }

    /// `.offline` while it is not in manual rendering.
    public var manualRenderingMode: AVAudioEngineManualRenderingMode {
        control.state.withLock { $0.manual?.mode } ?? .offline
    }

    /// No channels at 0 Hz while it is not in manual rendering.
    public var manualRenderingFormat: AVAudioFormat { control.state.withLock { $0.manual?.format } ?? .noDevice }

    /// 0 while it is not in manual rendering.
    public var manualRenderingMaximumFrameCount: AVAudioFrameCount {
        control.state.withLock { $0.manual?.maximumFrames } ?? 0
    }

    /// Frames rendered since the mode was enabled or the engine was reset.
    public var manualRenderingSampleTime: AVAudioFramePosition {
        control.state.withLock { $0.manual?.sampleTime } ?? 0
    }

    /// Renders the next frames.
    ///
    /// Handlers that this makes due have run when it returns, unless they take longer than two seconds.
    ///
    /// - Parameter buffer: of the rendering format, with room for the frames; its `frameLength` is set.
    /// - Returns: `success`; `insufficientDataFromInputNode` where the input is heard and its block has too few frames, and
    ///   then nothing is rendered.
    /// - Throws: `NSError` with the code `invalidMode` in another mode than offline, `notRunning` before `start`, and
    ///   `kAudio_ParamError` for more frames than the maximum or a buffer that does not fit.
    @discardableResult
    public func renderOffline(
        _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
    ) throws -> AVAudioEngineManualRenderingStatus {
        try control.renderOffline(numberOfFrames, to: buffer) ? .success : .insufficientDataFromInputNode
    }

    /// Renders the next frames into a buffer list of the rendering format: the way to render in realtime mode.
    ///
    /// The block keeps the engine's inside alive, and fails once the engine does not run. It feeds players and calls source
    /// blocks on the thread that calls it. One thread at a time.
    public var manualRenderingBlock: AVAudioEngineManualRenderingBlock {
        { [control] frames, list, error in
            guard let status = control.render(frames, into: list) else {
                error?.pointee = noErr
                return .insufficientDataFromInputNode
            }
            error?.pointee = status
            return status == noErr ? .success : .error
        }
    }
}
