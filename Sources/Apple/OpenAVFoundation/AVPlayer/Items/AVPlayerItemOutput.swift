public import Dispatch
public import Foundation
import SessionRuntime
import Synchronization

/// What an item gives beside its sound.
///
/// Source: SDK header AVPlayerItemOutput.h of AVFoundation.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
    // @unchecked: one Mutex; subclasses have to keep to that.
    private let suppresses = Mutex(false)

    /// Without effect: the sound is heard in any case.
    open var suppressesPlayerRendering: Bool {
        get { suppresses.withLock { $0 } }
        set { suppresses.withLock { $0 = newValue } }
    }
}

/// Hears of what an output gives.
///
/// Source: SDK header AVPlayerItemOutput.h of AVFoundation.
public protocol AVPlayerItemOutputPushDelegate: AnyObject {
    /// What was given before has no meaning any more, as after a seek.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    /// Does nothing.
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// Hears of the facts with times: chapters, titles of a radio station.
///
/// Source: SDK header AVPlayerItemOutput.h of AVFoundation.
public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Another chapter or title begins.
    ///
    /// - Parameters:
    ///   - output: that has this delegate.
    ///   - groups: one: its items are those that the output has asked for, and the duration of a title is indefinite.
    ///   - track: nil: no track of the asset has such facts.
    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
        from track: AVPlayerItemTrack?)
}

extension AVPlayerItemMetadataOutputPushDelegate {
    /// Does nothing.
    public func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
        from track: AVPlayerItemTrack?
    ) {}
}

/// Tells a delegate which chapter of a file is heard, and what a radio station says that it plays.
///
/// The titles of MP3 and AAC stations (`icy-metaint`), a second early or late at most; chapters to some hundredths of a second.
///
/// Any thread.
///
/// Source: SDK header AVPlayerItemOutput.h of AVFoundation.
open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    // @unchecked: constants, and one Mutex; subclasses have to keep to that.
    private let identifiers: Set<String>?
    private let storedDelegate = WeakBox<AnyObject>()
    private let state = Mutex(State())

    private struct State {
        var queue: DispatchQueue?
        var advance: TimeInterval = 0
        /// What the delegate was told last.
        var shown: AVTimedMetadataGroup?
    }

    /// An output of some facts.
    ///
    /// - Parameter identifiers: as `AVMetadataIdentifier.rawValue` has them; nil: all.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers.map { Set($0) }
        super.init()
    }

    /// Whom it tells; not kept.
    open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? {
        storedDelegate.object as? any AVPlayerItemMetadataOutputPushDelegate
    }
    /// Where the delegate is called; nil: on the main thread.
    open var delegateQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Sets whom it tells.
    ///
    /// - Parameters:
    ///   - delegate: not kept.
    ///   - delegateQueue: where it is called; nil: on the main thread.
    open func setDelegate(
        _ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue delegateQueue: DispatchQueue?
    ) {
        storedDelegate.object = delegate
        state.withLock { $0.queue = delegateQueue }
    }

    /// How many seconds earlier the delegate is told, 0 or more; of a station, what has come of it by then.
    open var advanceIntervalForDelegateInvocation: TimeInterval {
        get { state.withLock { $0.advance } }
        set { state.withLock { $0.advance = newValue > 0 ? newValue : 0 } }
    }

    // MARK: The thread that reads, or the main one

    func show(_ group: AVTimedMetadataGroup?, _ notices: NoticeQueue) {
        let isChanged = state.withLock { state in
            defer { state.shown = group }
            return group !== state.shown
        }
        guard isChanged, let group else { return }
        let items = group.items.filter { item in
            identifiers.map { item.identifier.map(\.rawValue).map($0.contains) ?? false } ?? true
        }
        guard !items.isEmpty else { return }
        let told = AVTimedMetadataGroup(items: items, timeRange: group.timeRange)
        tell(notices) { $0.metadataOutput(self, didOutputTimedMetadataGroups: [told], from: nil) }
    }

    func flush(_ notices: NoticeQueue) {
        state.withLock { $0.shown = nil }
        tell(notices) { $0.outputSequenceWasFlushed(self) }
    }

    private func tell(
        _ notices: NoticeQueue, _ body: @escaping @Sendable (any AVPlayerItemMetadataOutputPushDelegate) -> Void
    ) {
        notices.enqueue(on: delegateQueue) { [self] in
            if let delegate { body(delegate) }
        }
    }
}

extension NoticeQueue {
    /// - Parameter queue: of the app's; nil is the main thread.
    func enqueue(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) {
        // Each access to `main` makes another object.
        guard let queue, queue.label != DispatchQueue.main.label else { return enqueueOnMainThread { body() } }
        queue.async(execute: body)
    }
}
