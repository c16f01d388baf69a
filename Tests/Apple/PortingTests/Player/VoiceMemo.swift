import AVFoundation

/// Records the microphone into a file, with the engine.
final class VoiceMemo: @unchecked Sendable {
    private let engine = AVAudioEngine()
    private var file: AVAudioFile?
    private var token: NSObjectProtocol?
    private(set) var wasInterruptedByNewHardware = false

    func record(to url: URL) throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord, mode: .default, options: [.defaultToSpeaker])
        try session.setActive(true)

        let input = engine.inputNode
        let format = input.inputFormat(forBus: 0)
        guard format.sampleRate > 0, format.channelCount > 0 else { throw MemoError.noMicrophone }

        let file = try AVAudioFile(forWriting: url, settings: format.settings)
        self.file = file
        input.installTap(onBus: 0, bufferSize: 4096, format: format) { buffer, _ in
            do {
                try file.write(from: buffer)
            } catch {
                print("could not write: \(error)")
            }
        }
        token = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { [weak self] _ in
            self?.wasInterruptedByNewHardware = true
        }
        try engine.start()
    }

    func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
        file = nil
        if let token { NotificationCenter.default.removeObserver(token) }
        try? AVAudioSession.sharedInstance().setActive(false)
    }

    enum MemoError: Error {
        case noMicrophone
    }
}
