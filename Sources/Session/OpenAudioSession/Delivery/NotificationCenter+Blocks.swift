public import Foundation

extension NotificationCenter {
    /// Calls a block for each notification of a name.
    ///
    /// Foundation's function of this name, whose `name` is optional; the compiler prefers this one where the name is not.
    /// In a test with a simulated machine it leaves out what was caused before the call, as ``notifications(named:object:)``
    /// and observers with a selector do, and without an object also what other machines of tests post.
    ///
    /// Any thread.
    ///
    /// Source: Apple documentation, "addObserver(forName:object:queue:using:)"; decision 74.
    ///
    /// - Parameters:
    ///   - name: the name of the notifications.
    ///   - obj: only notifications of this object; nil is any object.
    ///   - queue: where the block is called, while the thread that posts waits; nil is that thread.
    ///   - block: called with each notification.
    /// - Returns: the observer, for `removeObserver`.
    @preconcurrency
    public func addObserver(
        forName name: NSNotification.Name, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let scope = ObserverScope(object: obj)
        let hasQueue = queue != nil
        return addObserver(forName: Optional(name), object: obj, queue: nil) { [weak queue] notification in
            guard scope.includes(notification) else { return }
            guard hasQueue, queue != OperationQueue.current else { return block(notification) }
            guard let queue else { return }
            // As Foundation does it: the poster must make `userInfo` fit for another thread.
            nonisolated(unsafe) let notification = notification
            // In a test the handler keeps the session that posts.
            let session = AVAudioSession.taskSession
            let handler = { @Sendable in AVAudioSession.$taskSession.withValue(session) { block(notification) } }
            guard queue == .main else {
                queue.addOperation(handler)
                return queue.waitUntilAllOperationsAreFinished()
            }
            NotificationPoster.runOnMainQueue(handler)
        }
    }
}
