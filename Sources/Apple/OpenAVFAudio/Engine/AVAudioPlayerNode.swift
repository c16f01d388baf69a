import AudioModel
internal import AudioRuntime
internal import EngineCore
internal import Foundation

/// Called when a scheduled item has reached a stage.
///
/// Called on the thread of `AVAudioNodeCompletionHandler`, with the same rules.
public typealias AVAudioPlayerNodeCompletionHandler = (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// Plays buffers and files, one after the other.
///
/// It starts paused. Its time counts frames at its output's rate from the first `play`; `stop` sets it to 0, and
/// `pause` holds it. An item without a time follows the previous item. A sample time is a time of the player; a host
/// time is used if there is no sample time and the player plays, and not in manual rendering, where no clock runs. While
/// its engine does not run, it is paused at its position, and continues when the engine runs again. `play` before the
/// engine runs takes effect at the engine's start (Apple's ends the program).
///
/// A change of the node's format while something is scheduled restarts the scheduled sound.
///
/// Source: SDK header AVAudioPlayerNode.h.
open class AVAudioPlayerNode: AVAudioNode, AVAudioMixing {
    private let player: PlayerNodeController

    /// A player without a queue; attach and connect it, then call `play`.
    public init() {
        player = PlayerNodeController()
        super.init(core: NodeController(.player(player), name: "player"))
    }

    // MARK: Playing

    /// Whether `play` was called, without `pause` or `stop` after it.
    open var isPlaying: Bool { player.isPlaying }

    /// Plays from the current position; with an engine that does not run, from its start on.
    ///
    /// It is a programming error to play a node that is not attached, or not connected to another.
    open func play() { play(at: nil) }

    /// Plays from a time.
    ///
    /// - Parameter when: a time of the engine, as in `lastRenderTime`. A host time is used if there is no sample time, and not
    ///   in manual rendering; nil is immediately.
    open func play(at when: AVAudioTime?) {
        programmerError(
            unless: core.place.map { !$0.control.graph.connections(from: $0.id).isEmpty } == true,
            "a player node plays into the node that it is connected to: attach it to an engine and connect it before play()"
        )
        core.place?.control.checkPlay()
        player.play(at: when.flatMap(NodeTime.init))
    }

    /// Fades out within 5 ms and keeps its time; in manual rendering, it ends at the frame.
    open func pause() { player.pause() }

    /// Fades out within 5 ms, discards the queue, and sets its time to 0; all completion handlers are called.
    ///
    /// In manual rendering, it ends at the frame.
    open func stop() { player.stop() }

    /// Without effect: scheduled sound is always fed ahead.
    open func prepare(withFrameCount frameCount: AVAudioFrameCount) {}

    // MARK: Scheduling
    //
    // A buffer's channel count must be the output format's: anything else is a programming error. Its rate is taken to be
    // the output's. Files are converted to the output's rate and channels. Handlers without a type are called when the data
    // is consumed; all are called on `stop`, too.

    /// Plays a buffer after the previously scheduled items.
    ///
    /// The samples are not copied: do not change the buffer until the handler is called.
    open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil) {
        scheduleBuffer(buffer, at: nil, options: [], completionHandler: completionHandler)
    }

    /// Plays a buffer at a time, or repeats it with the option `loops`.
    ///
    /// `when` is a time of the player; nil follows the scheduled items. The handler is called when the data is
    /// consumed.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: when, options: options, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    /// Plays a buffer after the scheduled items; the handler is called at the stage `callbackType`.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: nil, options: [], completionCallbackType: callbackType, completionHandler: completionHandler)
    }

    /// Plays a buffer at a time; the handler is called at the stage `callbackType`, or on `stop`.
    ///
    /// A buffer with another channel count than the node's output ends the program with a message.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let channels = outputFormat(forBus: 0).channelCount
        programmerError(
            unless: buffer.format.channelCount == channels,
            "a buffer of \(buffer.format.channelCount) channels was scheduled on a player whose output has \(channels): "
                + "connect the player in the buffer's format first, or convert the buffer")
        player.schedule(
            PlayerItem(ScheduledBuffer(buffer: buffer), at: when, options: options, callbackType, completionHandler))
    }

    /// Plays a file from its beginning to its end.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleFile(
            file, at: when, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    /// Plays a file from its beginning to its end; the handler is called at the stage `callbackType`.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(file, first: 0, count: max(0, file.length), at: when, callbackType, completionHandler)
    }

    /// Plays a part of a file.
    ///
    /// - Parameters:
    ///   - file: read by its own handle; its `framePosition` does not change.
    ///   - startFrame: at the file's rate; below 0 is 0.
    ///   - numberFrames: at the file's rate; frames beyond the end of the file are ignored.
    ///   - when: a time of the player; nil follows the scheduled items.
    ///   - completionHandler: called when the data is consumed.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when, completionCallbackType: .dataConsumed,
            completionHandler: completionHandler.map { handler in { _ in handler() } })
    }

    /// Plays a part of a file; the handler is called at the stage `callbackType`.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let first = min(max(0, startFrame), max(0, file.length))
        schedule(
            file, first: first, count: min(Int64(numberFrames), max(0, file.length - first)), at: when, callbackType,
            completionHandler)
    }

    private func schedule(
        _ file: AVAudioFile, first: Int64, count: Int64, at when: AVAudioTime?,
        _ callback: AVAudioPlayerNodeCompletionCallbackType, _ completion: AVAudioPlayerNodeCompletionHandler?
    ) {
        let segment = FileSegment(
            path: file.url.path, sampleRate: file.processingFormat.sampleRate, first: first, count: count)
        player.schedule(PlayerItem(segment, at: when, callback, completion))
    }

    // MARK: Time

    /// The player's time for a time of the engine; nil while it does not play, and before its first frame is rendered.
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        guard !nodeTime.isSampleTimeValid || nodeTime.sampleRate > 0,
            let (frames, playerRate) = NodeTime(nodeTime).flatMap(player.playerTime)
        else { return nil }
        return AVAudioTime(
            hostTime: nodeTime.isHostTimeValid ? nodeTime.hostTime : nil, sampleTime: frames, atRate: playerRate)
    }

    /// The engine's time for a time of the player; nil while it does not play, and before its first frame is rendered.
    open func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
        guard playerTime.isSampleTimeValid,
            let (sampleTime, rate) = player.rendererTime(
                atPlayerTime: Double(playerTime.sampleTime), rate: playerTime.sampleRate)
        else { return nil }
        let outputRate = outputFormat(forBus: 0).sampleRate
        return AVAudioTime(
            hostTime: nil, sampleTime: Int64(nearest: Double(sampleTime) * outputRate / rate), atRate: outputRate)
    }
}

/// How a scheduled buffer is played.
///
/// Source: SDK header AVAudioPlayerNode.h.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Repeats until it is interrupted or the player is stopped.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
    /// Replaces all previously scheduled items, including the one that plays.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
    /// Starts at the end of the current pass of a looping buffer, and replaces the items after it.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}

/// The stage of a buffer when its completion handler is called.
///
/// Source: SDK header AVAudioPlayerNode.h.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player has consumed all of it; it may not be audible yet.
    case dataConsumed = 0
    /// Its last frame has been rendered.
    case dataRendered = 1
    /// Its last frame has been heard: rendered, plus the device's latency.
    case dataPlayedBack = 2
}
