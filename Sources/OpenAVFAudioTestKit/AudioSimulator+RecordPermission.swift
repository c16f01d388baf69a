internal import HostSimulated
public import OpenAVFAudio

extension AudioSimulator {
    /// Says whether the first app may record; a new simulator's may.
    ///
    /// While it may not, its microphones pick up nothing: what it records is silence, and no call fails for it.
    /// On iOS a category that records asks by itself, here only `requestRecordPermission` does.
    ///
    ///     phone.setRecordPermission(.undetermined, promptAnswer: false)
    ///     #expect(await AVAudioApplication.requestRecordPermission() == false)
    ///     #expect(AVAudioApplication.shared.recordPermission == .denied)
    ///
    /// - Parameter promptAnswer: what the user answers to the first request while it is `undetermined`.
    ///
    /// Source: Apple documentation, "requestRecordPermission(_:)": until it is granted, an app records only silence.
    public func setRecordPermission(_ permission: AVAudioApplication.recordPermission, promptAnswer: Bool = true) {
        let status: RecordPermission.Status =
            switch permission {
            case .undetermined: .undetermined
            case .denied: .denied
            case .granted: .granted
            }
        host.setHearsNothing(status != .granted)
        session.process.recordPermission.set(status) { [host] in
            host.setHearsNothing(!promptAnswer)
            return promptAnswer
        }
    }
}
