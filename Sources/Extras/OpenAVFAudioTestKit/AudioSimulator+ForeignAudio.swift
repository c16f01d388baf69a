internal import SimulatedControls

extension AudioSimulator {
    /// The sound of a program that does not use this library.
    ///
    /// See ``AudioSimulator/startForeignAudio(role:name:)``.
    public struct ForeignAudio: Sendable {
        let id: UInt64
        let simulator: AudioSimulator

        /// Stops the sound of the program.
        public func stop() {
            simulator.host.stopForeignStream(id)
            simulator.settle()
        }
    }

    /// Starts a program that does not use this library.
    ///
    /// Its sound is not in the ``samples(of:)`` of any port.
    ///
    ///     let music = phone.startForeignAudio(role: "Music")
    ///     #expect(phone.session.isOtherAudioPlaying)
    ///     music.stop()
    ///
    /// - Parameters:
    ///   - role: PipeWire's `media.role`, which determines the effect on the sessions: "Music", "Game", "Phone",
    ///     "Notification", "Alarm"...; nil for a program without a role.
    ///   - name: the program's name.
    public func startForeignAudio(role: String? = nil, name: String = "") -> ForeignAudio {
        defer { settle() }
        return ForeignAudio(id: host.startForeignStream(role: role, name: name), simulator: self)
    }

    /// Starts a call on the machine's own telephone.
    ///
    /// It interrupts the sessions until ``endCall()``.
    ///
    ///     phone.receiveCall()     // interruption began
    ///     phone.endCall()         // ended, with shouldResume
    public func receiveCall() {
        host.receiveCall()
        settle()
    }

    /// Ends the call of ``receiveCall()``; the interrupted sessions get `ended` with `shouldResume`.
    public func endCall() {
        host.endCall()
        settle()
    }

    /// Plays a notification sound, which ducks the sessions.
    ///
    /// It ends when virtual time has passed.
    ///
    ///     phone.playNotification(lasting: 0.5)
    ///     phone.advance(bySeconds: 1)
    ///
    /// - Parameter seconds: the length in virtual time.
    public func playNotification(lasting seconds: Double = 1) { playForeignSound(role: "Notification", seconds) }

    /// Plays the sound of the machine's alarm clock; otherwise like ``playNotification(lasting:)``.
    public func playAlarm(lasting seconds: Double = 1) { playForeignSound(role: "Alarm", seconds) }

    private func playForeignSound(role: String, _ seconds: Double) {
        host.playForeignSound(role: role, name: role, seconds: seconds)
        settle()
    }
}
