internal import Foundation

extension NotificationPoster {
    /// The engine has stopped itself; posted in order with the news of routes.
    ///
    /// Any thread; does not wait.
    func postConfigurationChange(of subject: EngineSubject) {
        enqueue {
            self.withSession { _ in
                // Held for the time of the post: a handler may drop the app's last reference, and the engine then ends
                // here, where it may wait for the session thread.
                guard let engine = subject.engine else { return }
                NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: engine)
            }
        }
    }
}
