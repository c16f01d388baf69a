public import OpenAudioSession
internal import SessionRuntime
internal import SimulatedControls

extension AudioSimulator {
    /// Sets whether the first app may record.
    ///
    /// In a new simulator it may.
    ///
    /// Without permission it records silence, and no call fails because of it. On iOS a category that records asks for
    /// permission; here only `requestRecordPermission` asks.
    ///
    ///     phone.setRecordPermission(.undetermined, promptAnswer: false)
    ///     #expect(await AVAudioApplication.requestRecordPermission() == false)
    ///     #expect(AVAudioApplication.shared.recordPermission == .denied)
    ///
    /// - Parameters:
    ///   - permission: what the user has said so far.
    ///   - promptAnswer: the user's answer to the first request while the permission is `undetermined`.
    ///
    /// Source: Apple documentation, "requestRecordPermission(_:)": an app without permission records only silence.
    public func setRecordPermission(_ permission: AVAudioApplication.recordPermission, promptAnswer: Bool = true) {
        let status: RecordPermission.Status =
            switch permission {
            case .undetermined: .undetermined
            case .denied: .denied
            case .granted: .granted
            }
        host.setHearsNothing(status != .granted)
        session.runtime.recordPermission.set(status) { [host] in
            host.setHearsNothing(!promptAnswer)
            return promptAnswer
        }
    }
}
