internal import Foundation

// The same, for tasks: each returns when its handler would have been called. A cancelled task waits on: `stop` ends the
// wait.
extension AVAudioPlayerNode {
    public nonisolated(nonsending) func scheduleBuffer(_ buffer: AVAudioPCMBuffer) async {
        await scheduleBuffer(buffer, at: nil, options: [])
    }

    public nonisolated(nonsending) func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = []
    ) async {
        _ = await scheduleBuffer(buffer, at: when, options: options, completionCallbackType: .dataConsumed)
    }

    public nonisolated(nonsending) func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await scheduleBuffer(buffer, at: nil, options: [], completionCallbackType: callbackType)
    }

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

    public nonisolated(nonsending) func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?) async {
        _ = await scheduleFile(file, at: when, completionCallbackType: .dataConsumed)
    }

    public nonisolated(nonsending) func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleFile(file, at: when, completionCallbackType: callbackType) { continuation.resume(returning: $0) }
        }
    }

    public nonisolated(nonsending) func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?
    ) async {
        _ = await scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when, completionCallbackType: .dataConsumed)
    }

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
