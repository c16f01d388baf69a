import AVFAudio
import Dispatch

/// What the program waits for, in the order of its occurrence.
enum Event: Sendable {
    case line(String)
    case inputEnded
    case routeChanged
    /// The engine stopped because the channels or the rate of its output changed.
    case configurationChanged
    /// The interruption by another program ended.
    case interruptionEnded
    /// Everything that the last line caused has been processed.
    case settled
}

/// The terminal and the session as one sequence.
final class Events {
    let stream: AsyncStream<Event>
    let feed: AsyncStream<Event>.Continuation
    private let next = DispatchSemaphore(value: 0)
    private var tokens: [any NSObjectProtocol] = []

    init() {
        (stream, feed) = AsyncStream.makeStream(of: Event.self)
        observe(AVAudioSession.routeChangeNotification) { _ in .routeChanged }
        observe(.AVAudioEngineConfigurationChange) { _ in .configurationChanged }
        observe(AVAudioSession.interruptionNotification) { note in
            let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            return type == AVAudioSession.InterruptionType.ended.rawValue ? .interruptionEnded : nil
        }
        Thread.detachNewThread { [next, feed] in
            next.wait()
            while let line = readLine() {
                feed.yield(.line(line))
                next.wait()
            }
            feed.yield(.inputEnded)
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    /// Allows the next line.
    func takeLine() { next.signal() }

    private func observe(_ name: Notification.Name, _ event: @escaping @Sendable (Notification) -> Event?) {
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [feed] note in
                if let event = event(note) { feed.yield(event) }
            })
    }
}
