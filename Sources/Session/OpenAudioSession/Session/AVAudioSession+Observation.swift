internal import SessionRuntime
internal import Synchronization

// `observe(\.outputVolume)` and the other properties that Apple documents as observable: `inputGain`,
// `isInputAvailable`, `inputDataSources`, `outputDataSources`, `inputDataSource`, `inputNumberOfChannels`,
// `outputNumberOfChannels`, `sampleRate`, `ioBufferDuration` and `promptStyle`.
//
// Handlers run on the main thread, as on iOS (gizmosachin/VolumeBar, issue 19, shows the stack of a call). A program whose
// main thread serves no queue gets only the call of `initial`.
extension AVAudioSession: _KeyValueObservable {
    public var _observers: _KeyValueObservers { observers.value { watchedObservers() }.value }

    /// Compares on the main thread: a getter may wait for the session thread, which calls the watcher.
    private func watchedObservers() -> _KeyValueObservers {
        let observers = _KeyValueObservers()
        let isScheduled = Flag()
        _ = runtime.watch { [notices = runtime.notices] _ in
            guard !observers.isEmpty, isScheduled.raise() else { return }
            notices.enqueueOnMainThread {
                isScheduled.lower()
                observers.deliverChanges()
            }
        }
        return observers
    }
}

private final class Flag: Sendable {
    private let isUp = Atomic(false)
    /// Whether it was down.
    func raise() -> Bool { !isUp.exchange(true, ordering: .acquiringAndReleasing) }
    func lower() { isUp.store(false, ordering: .releasing) }
}
