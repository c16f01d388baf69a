import AVFAudio

/// What the program waits for, in the order in which it happens.
enum Event: Sendable {
    case line(String)
    case inputEnded
    case routeChanged
    /// The engine has stopped, as its output has other channels or another rate.
    case configurationChanged
    /// Another program has given the sound back.
    case interruptionEnded
    /// All that a line has caused on the simulated machine is behind.
    case settled

    /// From the terminal and from the session; the tokens keep the observers.
    static func all() -> (stream: AsyncStream<Event>, feed: AsyncStream<Event>.Continuation, tokens: [any NSObjectProtocol]) {
        let (stream, feed) = AsyncStream.makeStream(of: Event.self)
        func observe(_ name: Notification.Name, _ event: @escaping @Sendable (Notification) -> Event?) -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                if let event = event(note) { feed.yield(event) }
            }
        }
        let tokens = [
            observe(AVAudioSession.routeChangeNotification) { _ in .routeChanged },
            observe(.AVAudioEngineConfigurationChange) { _ in .configurationChanged },
            observe(AVAudioSession.interruptionNotification) { note in
                let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                return type == AVAudioSession.InterruptionType.ended.rawValue ? .interruptionEnded : nil
            },
        ]
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(.line(line)) }
            feed.yield(.inputEnded)
        }
        return (stream, feed, tokens)
    }
}
