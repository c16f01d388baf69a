internal import Foundation
internal import SessionCore

/// The queue and the thread of a `NotificationPoster`; the thread keeps the queue alive, not the poster.
///
/// `@unchecked Sendable`: every `var` is read and written under `condition` only.
final class DeliveryQueue: @unchecked Sendable {
    enum Item: Sendable {
        case routeChange(RouteChange)
        case availableInputsChange
        case work(@Sendable () -> Void)
    }

    private let condition = NSCondition()
    private var items: [Item] = []
    private var isDelivering = false
    private var isClosed = false
    /// Started by the first item, so that a process without news has no thread for it.
    private var thread: Thread?
    private weak var session: AVAudioSession?

    func bind(to session: AVAudioSession) {
        condition.withLock {
            precondition(self.session == nil, "an AudioProcess has one AVAudioSession; this one has it already")
            self.session = session
        }
    }

    func enqueue(_ item: Item) {
        condition.withLock {
            guard !isClosed else { return }
            items.append(item)
            if thread == nil { startThread() }
            condition.broadcast()
        }
    }

    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    func settle() {
        condition.withLock {
            precondition(
                Thread.current !== thread,
                "settle() was called by an observer on the poster thread, which it would wait for: call it elsewhere")
            while !items.isEmpty || isDelivering { condition.wait() }
        }
    }

    private func startThread() {
        let thread = Thread { self.run() }
        thread.name = "avfaudio-poster"
        self.thread = thread
        thread.start()
    }

    private func run() {
        while let item = next() { deliver(item) }
    }

    /// Waits for the next item; nil once the queue is closed and empty.
    private func next() -> Item? {
        condition.withLock {
            isDelivering = false
            condition.broadcast()
            while items.isEmpty && !isClosed { condition.wait() }
            guard !items.isEmpty else { return nil }
            isDelivering = true
            return items.removeFirst()
        }
    }

    private func deliver(_ item: Item) {
        switch item {
        case .routeChange(let change):
            post(AVAudioSession.routeChangeNotification, userInfo: AVAudioSession.userInfo(for: change))
        case .availableInputsChange:
            post(AVAudioSession.availableInputsChangeNotification, userInfo: nil)
        case .work(let work):
            work()
        }
    }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]?) {
        guard let session = condition.withLock({ session }) else { return }
        // Handlers commonly ask sharedInstance() for the new route: let it be the session that the news is from.
        AVAudioSession.$taskSession.withValue(session) {
            NotificationCenter.default.post(name: name, object: session, userInfo: userInfo)
        }
    }
}
