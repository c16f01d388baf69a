import AVFAudio

/// What is played: a file once, or two tones in a loop.
enum Sound {
    case file(AVAudioFile)
    case tones(AVAudioPCMBuffer)

    init(path: String) throws { self = .file(try AVAudioFile(forReading: URL(fileURLWithPath: path))) }

    /// 440 Hz on the left, 660 Hz on the right.
    static func tones() throws -> Sound {
        let rate = 48_000.0
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 2),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(rate))
        else { throw CocoaError(.featureUnsupported) }
        buffer.frameLength = buffer.frameCapacity
        for (channel, hertz) in [440.0, 660.0].enumerated() {
            for frame in 0..<Int(buffer.frameLength) {
                buffer.floatChannelData?[channel][frame] = Float(0.1 * sin(2 * .pi * hertz * Double(frame) / rate))
            }
        }
        return .tones(buffer)
    }

    var format: AVAudioFormat {
        switch self {
        case .file(let file): file.processingFormat
        case .tones(let buffer): buffer.format
        }
    }

    func schedule(on player: AVAudioPlayerNode) {
        switch self {
        case .file(let file): player.scheduleFile(file, at: nil)
        case .tones(let buffer): player.scheduleBuffer(buffer, at: nil, options: .loops)
        }
    }
}
