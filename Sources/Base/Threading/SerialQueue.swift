/// What any thread puts and one consumer takes, in order.
///
/// Producers: any thread; they never wait. The queue has no limit: who feeds it without end keeps one, as `BlockCalls` does.
///
/// Consumer: one at a time, which drains the queue in one of three ways:
/// - a thread of its own waits in `next`;
/// - a thread that serves others too is called by `put` and takes one element after the other with `takeFirst`;
/// - a loop that waits for more than this queue is called by `put` and takes everything with `takeAll`.
package final class SerialQueue<Element: Sendable>: Sendable {
    private enum Consumer: Hashable {
        /// It has taken what there was. Exit: an element comes -> `called`.
        case idle
        /// It is to come. Exits: takes an element -> `busy`; finds none, or takes all -> `idle`.
        case called
        /// It works at an element. Exit: comes for the next one -> `busy`, or `idle` where there is none.
        case busy(ThreadID)
    }

    private struct State {
        var consumer = Consumer.idle
        var isClosed = false
        /// Elements ever put.
        private(set) var putCount: UInt64 = 0
        private var arrived: [Element] = []
        /// The oldest last.
        private var next: [Element] = []

        var isEmpty: Bool { arrived.isEmpty && next.isEmpty }
        var isAtRest: Bool { if case .busy = consumer { false } else { isEmpty } }
        var elements: [Element] { next.reversed() + arrived }

        mutating func append(_ element: Element) {
            arrived.append(element)
            putCount += 1
        }

        mutating func takeFirst() -> Element? {
            if next.isEmpty {
                swap(&next, &arrived)
                next.reverse()
            }
            let element = next.popLast()
            consumer = element == nil ? .idle : .busy(.current)
            return element
        }

        mutating func takeAll() -> [Element] {
            defer { (consumer, arrived, next) = (.idle, [], []) }
            return elements
        }
    }

    private let state = Monitor(State())

    package init() {}

    // MARK: Producers

    /// - Parameter call: where the consumer has to be called; outside of the lock.
    /// - Returns: false when the queue is closed; the element was not taken then.
    @discardableResult
    package func put(_ element: Element, call: () -> Void = {}) -> Bool {
        let (isTaken, mustCall) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.append(element)
            guard state.consumer == .idle else { return (true, false) }
            state.consumer = .called
            return (true, true)
        }
        if mustCall {
            state.notifyAll()
            call()
        }
        return isTaken
    }

    /// What was put before is still taken.
    ///
    /// Idempotent.
    package func close() { state.update { $0.isClosed = true } }

    // MARK: The consumer

    /// Waits for the next element; nil once the queue is closed and empty.
    package func next() -> Element? {
        takeFirst() ?? state.wait(while: { $0.isEmpty && !$0.isClosed }) { $0.takeFirst() }
    }

    /// The next element; nil where there is none.
    package func takeFirst() -> Element? {
        let element = state.withLock { $0.takeFirst() }
        if element == nil { state.notifyAll() }
        return element
    }

    /// Everything so far, in order.
    package func takeAll() -> [Element] { state.update { $0.takeAll() } }

    // MARK: Any thread

    /// The consumer that works at an element.
    package var busyThread: ThreadID? {
        state.withLock { if case .busy(let thread) = $0.consumer { thread } else { nil } }
    }

    /// How many elements were ever put.
    ///
    /// Of several queues that put into each other, all are at rest where each one is and none of these numbers has changed
    /// meanwhile.
    package var putCount: UInt64 { state.withLock { $0.putCount } }

    /// Nothing is queued and nothing runs.
    package var isAtRest: Bool { state.withLock { $0.isAtRest } }

    /// Never on the consumer's thread.
    package func waitUntilAtRest() { state.wait { !$0.isAtRest } }

    /// - Returns: false when the time passed first.
    package func waitUntilAtRest(atMostSeconds seconds: Double) -> Bool {
        state.wait(atMostSeconds: seconds) { !$0.isAtRest }
    }

    /// Whether such an element waits.
    package func contains(where isWanted: (Element) -> Bool) -> Bool {
        state.withLock { $0.elements.contains(where: isWanted) }
    }
}
