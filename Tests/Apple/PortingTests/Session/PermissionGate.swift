import AVFoundation

/// Asks the user before the first recording, and records only with the permission.
final class PermissionGate: @unchecked Sendable {
    enum Access: String {
        case undecided, allowed, refused
    }

    private var recorder: AVAudioRecorder?

    var access: Access {
        if #available(iOS 17.0, *) {
            switch AVAudioApplication.shared.recordPermission {
            case .undetermined: return .undecided
            case .denied: return .refused
            case .granted: return .allowed
            @unknown default: return .undecided
            }
        } else {
            switch AVAudioSession.sharedInstance().recordPermission {
            case AVAudioSession.RecordPermission.granted: return .allowed
            case AVAudioSession.RecordPermission.denied: return .refused
            default: return .undecided
            }
        }
    }

    func prepareSession() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord, mode: .default, options: [.defaultToSpeaker, .allowBluetoothHFP])
        try session.setPreferredSampleRate(44_100)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setAllowHapticsAndSystemSoundsDuringRecording(true)
        try session.setPrefersNoInterruptionsFromSystemAlerts(true)
        try session.setActive(true)
    }

    func startRecording(to url: URL) async throws -> Bool {
        guard await AVAudioApplication.requestRecordPermission() else { return false }
        try prepareSession()
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
        ]
        let recorder = try AVAudioRecorder(url: url, settings: settings)
        self.recorder = recorder
        return recorder.record()
    }

    func stopRecording() {
        recorder?.stop()
        recorder = nil
    }

    /// The older form, and the one that waits in the middle of other code.
    func mayRecord() -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = Answer()
        AVAudioSession.sharedInstance().requestRecordPermission { granted in
            answer.isGranted = granted
            semaphore.signal()
        }
        semaphore.wait()
        return answer.isGranted
    }

    private final class Answer: @unchecked Sendable {
        var isGranted = false
    }
}
