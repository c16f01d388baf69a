internal import Foundation

// The same, for tasks: each returns when its handler would have been called. A cancelled task waits on: `stop` ends the
// wait.
extension AVAudioPlayerNode {
    /// Plays a buffer after the scheduled items and returns when its data is consumed.
    public nonisolated(nonsending) func scheduleBuffer(_ buffer: AVAudioPCMBuffer) async {
        await scheduleBuffer(buffer, at: nil, options: [])
    }

    /// Plays a buffer at a time and returns when its data is consumed.
    ///
    /// A cancelled task waits too; `stop` ends the wait.
    public nonisolated(nonsending) func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = []
    ) async {
        _ = await scheduleBuffer(buffer, at: when, options: options, completionCallbackType: .dataConsumed)
    }

    /// Plays a buffer after the scheduled items and returns when it has reached the stage `callbackType`.
    public nonisolated(nonsending) func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await scheduleBuffer(buffer, at: nil, options: [], completionCallbackType: callbackType)
    }

    /// Plays a buffer at a time and returns when it has reached the stage `callbackType`.
    ///
    /// A cancelled task waits too; `stop` ends the wait.
    public nonisolated(nonsending) func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleBuffer(buffer, at: when, options: options, completionCallbackType: callbackType) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Plays a file from its beginning and returns when its data is consumed.
    public nonisolated(nonsending) func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?) async {
        _ = await scheduleFile(file, at: when, completionCallbackType: .dataConsumed)
    }

    /// Plays a file from its beginning and returns when it has reached the stage `callbackType`.
    public nonisolated(nonsending) func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleFile(file, at: when, completionCallbackType: callbackType) { continuation.resume(returning: $0) }
        }
    }

    /// Plays a part of a file and returns when its data is consumed.
    ///
    /// `startFrame` and `numberFrames` count at the file's rate.
    public nonisolated(nonsending) func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?
    ) async {
        _ = await scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when, completionCallbackType: .dataConsumed)
    }

    /// Plays a part of a file and returns when it has reached the stage `callbackType`.
    ///
    /// `startFrame` and `numberFrames` count at the file's rate.
    public nonisolated(nonsending) func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleSegment(
                file, startingFrame: startFrame, frameCount: numberFrames, at: when,
                completionCallbackType: callbackType
            ) { continuation.resume(returning: $0) }
        }
    }
}
