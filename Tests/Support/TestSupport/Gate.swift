import Dispatch

/// Holds the thread that calls `hold` until another one calls `open`.
package final class Gate: Sendable {
    private let isReached = DispatchSemaphore(value: 0)
    private let isOpen = DispatchSemaphore(value: 0)

    package init() {}

    package func hold() {
        isReached.signal()
        isOpen.wait()
        isOpen.signal()
    }

    package func waitUntilReached() { isReached.wait() }
    package func open() { isOpen.signal() }
}
