import AVFoundation

/// Listens to the microphone as speech recognizers do: a tap on the input node, in the record category.
final class SpeechLevelMonitor: @unchecked Sendable {
    private let audioEngine = AVAudioEngine()
    private let lock = NSLock()
    private var levels: [Float] = []

    var isListening: Bool { audioEngine.isRunning }
    var history: [Float] { lock.withLock { levels } }

    func startListening() throws {
        let audioSession = AVAudioSession.sharedInstance()
        try audioSession.setCategory(.record, mode: .measurement)
        try audioSession.setActive(true, options: .notifyOthersOnDeactivation)

        let inputNode = audioEngine.inputNode
        let recordingFormat = inputNode.outputFormat(forBus: 0)
        inputNode.installTap(onBus: 0, bufferSize: 1024, format: recordingFormat) {
            (buffer: AVAudioPCMBuffer, when: AVAudioTime) in
            self.append(buffer)
        }

        audioEngine.prepare()
        try audioEngine.start()
    }

    func stopListening() {
        audioEngine.stop()
        audioEngine.inputNode.removeTap(onBus: 0)
    }

    private func append(_ buffer: AVAudioPCMBuffer) {
        guard let channelData = buffer.floatChannelData?[0] else { return }
        let frames = UnsafeBufferPointer(start: channelData, count: Int(buffer.frameLength))
        let meanSquare = frames.reduce(0) { $0 + $1 * $1 } / Float(frames.count)
        lock.withLock { levels.append(meanSquare.squareRoot()) }
    }
}
