internal import Foundation

// A buffer's channel count must be the output format's: anything else is a programming error. Its rate is taken to be the
// output's. Files are converted to the output's rate and channels. Handlers without a type are called when the data is
// consumed; all are called on `stop`, too.
//
// Source: SDK header AVAudioPlayerNode.h.
extension AVAudioPlayerNode {
    // MARK: Buffers

    /// Plays a buffer after what was scheduled before.
    ///
    /// The samples are not copied: leave the buffer alone until the handler is called.
    public func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil) {
        scheduleBuffer(buffer, at: nil, options: [], completionHandler: completionHandler)
    }

    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: when, options: options, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: nil, options: [], completionCallbackType: callbackType, completionHandler: completionHandler)
    }

    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let channels = outputFormat(forBus: 0).channelCount
        precondition(
            buffer.format.channelCount == channels,
            "a buffer of \(buffer.format.channelCount) channels was scheduled on a player whose output has \(channels): "
                + "connect the player in the buffer's format first, or convert the buffer")
        schedule(
            PlayerItem(buffer, at: when, options: options, callback: callbackType, completion: completionHandler))
    }

    // MARK: Files

    /// Plays a file from its beginning to its end.
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleFile(
            file, at: when, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(
            PlayerItem(
                file, first: 0, count: max(0, file.length), at: when, callback: callbackType,
                completion: completionHandler))
    }

    /// Plays a part of a file.
    ///
    /// - Parameters:
    ///   - startFrame: at the file's rate; below 0 is 0.
    ///   - numberFrames: at the file's rate; what is beyond the end of the file is left out.
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let first = min(max(0, startFrame), max(0, file.length))
        schedule(
            PlayerItem(
                file, first: first, count: min(Int64(numberFrames), max(0, file.length - first)), at: when,
                callback: callbackType, completion: completionHandler))
    }
}
