internal import HostSimulated

extension AudioSimulator {
    /// The sound of a program that does not use this library; ``AudioSimulator/startForeignAudio(role:name:)`` makes it.
    public struct ForeignAudio: Sendable {
        let id: UInt64
        let simulator: AudioSimulator

        /// The program falls silent.
        public func stop() {
            simulator.host.stopForeignStream(id)
            simulator.settle()
        }
    }

    /// A program that does not use this library begins to play; it reaches no port's ``samples(of:)``.
    ///
    ///     let music = phone.startForeignAudio(role: "Music")
    ///     #expect(phone.session.isOtherAudioPlaying)
    ///     music.stop()
    ///
    /// - Parameters:
    ///   - role: PipeWire's `media.role`, which decides what the sound does to the sessions: "Music", "Game", "Phone",
    ///     "Notification", "Alarm"...; nil for a program that names none.
    ///   - name: the program's name.
    public func startForeignAudio(role: String? = nil, name: String = "") -> ForeignAudio {
        defer { settle() }
        return ForeignAudio(id: host.startForeignStream(role: role, name: name), simulator: self)
    }

    /// A call comes in by the machine's own telephone: it interrupts the sessions until ``endCall()``.
    ///
    ///     phone.receiveCall()     // interruption began
    ///     phone.endCall()         // ended, with the advice to resume
    public func receiveCall() {
        host.receiveCall()
        settle()
    }

    public func endCall() {
        host.endCall()
        settle()
    }

    /// A notification sounds, which lowers the sessions meanwhile; it ends by itself as time passes.
    ///
    ///     phone.playNotification(lasting: 0.5)
    ///     phone.advance(bySeconds: 1)
    ///
    /// - Parameter seconds: of virtual time.
    public func playNotification(lasting seconds: Double = 1) { playForeignSound(role: "Notification", seconds) }

    /// As ``playNotification(lasting:)``, of the machine's alarm clock.
    public func playAlarm(lasting seconds: Double = 1) { playForeignSound(role: "Alarm", seconds) }

    private func playForeignSound(role: String, _ seconds: Double) {
        host.playForeignSound(role: role, name: role, seconds: seconds)
        settle()
    }
}
