import AVFoundation
@_exported import OpenCombine
import OpenCombineFoundation

// The two publishers that iOS audio code uses, under their names. Copy this file into a project that uses Combine on iOS, and
// write `#if canImport(Combine) import Combine #else import OpenCombine #endif` where it imports Combine.

extension NotificationCenter {
    /// Notifications of one name; on the thread that posts them.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> OCombine.Publisher {
        ocombine.publisher(for: name, object: object)
    }
}

extension AVAudioSession {
    /// The value of an observable property: now, and after each change.
    ///
    /// On the main thread.
    public func publisher<Value>(for keyPath: KeyPath<AVAudioSession, Value>) -> AnyPublisher<Value, Never> {
        let subject = CurrentValueSubject<Value, Never>(self[keyPath: keyPath])
        let observation = observe(keyPath) { session, _ in subject.send(session[keyPath: keyPath]) }
        return subject.handleEvents(receiveCancel: { observation.invalidate() }).eraseToAnyPublisher()
    }
}
