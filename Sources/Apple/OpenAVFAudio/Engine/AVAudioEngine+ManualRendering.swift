internal import AudioRuntime
public import CAudioTypes
internal import Foundation

// An engine that no device asks for frames, but the app: to make files, to test, or by a clock of its own.
//
// Source: SDK header AVAudioEngine.h (iOS 11).
extension AVAudioEngine {
    /// Switches to manual rendering: the app requests frames from now on.
    ///
    /// The output node then has this format. A tap on the input is removed; connections stay. No session is needed.
    ///
    /// Sound begins and ends at the frame, as on iOS: a pause, a stop and a change of the graph have no fade, which spares ears a
    /// click on a device. Volumes and other settings slide. Host times are ignored, as no clock runs.
    ///
    /// - Parameters:
    ///   - mode: offline for files and tests; realtime for a clock of the app.
    ///   - pcmFormat: the linear PCM format of the rendered frames.
    ///   - maximumFrameCount: the most frames of one request.
    /// - Throws: `NSError` with the code `initialized` while the engine runs; `kAudioUnitErr_FormatNotSupported` for a
    ///   format that is not linear PCM with channels and a rate; `kAudioUnitErr_InvalidPropertyValue` for no frames.
    public func enableManualRenderingMode(
        _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat,
        maximumFrameCount: AVAudioFrameCount
    ) throws {
        try manual.begin(mode, pcmFormat, maximumFrames: Int(maximumFrameCount))
    }

    /// Stops.
    ///
    /// From the next start, the engine plays on the session's route again. A tap on the input is removed.
    public func disableManualRenderingMode() { manual.end() }

    /// Whether the app, and not a device, requests the frames.
    public var isInManualRenderingMode: Bool { manual.current != nil }

    /// `.offline` while it is not in manual rendering.
    public var manualRenderingMode: AVAudioEngineManualRenderingMode { manual.current?.mode ?? .offline }

    /// 0 channels at 0 Hz while it is not in manual rendering.
    public var manualRenderingFormat: AVAudioFormat { manual.current?.format ?? .noDevice }

    /// 0 while it is not in manual rendering.
    public var manualRenderingMaximumFrameCount: AVAudioFrameCount {
        AVAudioFrameCount(control.manual?.maximumFrames ?? 0)
    }

    /// Frames rendered since the mode was enabled or the engine was reset.
    public var manualRenderingSampleTime: AVAudioFramePosition { control.manual?.sampleTime ?? 0 }

    /// Renders the next frames.
    ///
    /// Due handlers have run when it returns, unless they take longer than two seconds.
    ///
    /// - Parameters:
    ///   - numberOfFrames: at most ``manualRenderingMaximumFrameCount``.
    ///   - buffer: has the rendering format and enough capacity; its `frameLength` is set.
    /// - Returns: `success`; `insufficientDataFromInputNode` if the input is in use and its block has too few frames;
    ///   then nothing is rendered.
    /// - Throws: `NSError` with the code `invalidMode` in a mode other than offline, `notRunning` before `start`, and
    ///   `kAudio_ParamError` for more frames than the maximum or an unsuitable buffer.
    @discardableResult
    public func renderOffline(
        _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
    ) throws -> AVAudioEngineManualRenderingStatus {
        try manual.renderOffline(numberOfFrames, to: buffer) ? .success : .insufficientDataFromInputNode
    }

    /// Renders the next frames into a buffer list of the rendering format, for realtime mode.
    ///
    /// The block retains the engine's internal state, and fails when the engine does not run. It feeds players and
    /// calls source blocks on the calling thread. One thread at a time.
    public var manualRenderingBlock: AVAudioEngineManualRenderingBlock {
        { [manual] frames, list, error in
            guard let status = manual.render(frames, into: list) else {
                error?.pointee = noErr
                return .insufficientDataFromInputNode
            }
            error?.pointee = status
            return status == noErr ? .success : .error
        }
    }
}

/// How the app requests frames in manual rendering.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
    /// `renderOffline`, as fast as possible.
    case offline = 0
    /// `manualRenderingBlock`, in real time.
    case realtime = 1
}

/// The result of a request for frames.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
    /// Nothing was rendered; the error pointer has the code.
    case error = -1
    /// All requested frames were rendered.
    case success = 0
    /// The input node had too few frames.
    case insufficientDataFromInputNode = 1
    /// Not now; ask again.
    case cannotDoInCurrentContext = 2
}

/// The error codes of manual rendering.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingError: OSStatus, Sendable {
    /// The engine is not in the required mode.
    case invalidMode = -80800
    /// The engine runs, but must be stopped.
    case initialized = -80801
    /// The engine does not run, but must run.
    case notRunning = -80802
}

/// Renders frames into a buffer list of the rendering format; returns the status, and optionally an error.
///
/// Source: SDK header AVAudioEngine.h.
public typealias AVAudioEngineManualRenderingBlock = (
    AVAudioFrameCount, UnsafeMutablePointer<AudioBufferList>, UnsafeMutablePointer<OSStatus>?
) -> AVAudioEngineManualRenderingStatus
