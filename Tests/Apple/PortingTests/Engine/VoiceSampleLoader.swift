import AVFoundation

/// Loads a sound file as speech recognisers want it: 16 kHz, mono, Float32.
///
/// The calls are those of an app for iOS, unchanged: open the file, read all of it into one buffer, convert with the input
/// block, take the samples by `floatChannelData`.
struct VoiceSampleLoader {
    enum LoadError: Error {
        case noFormat, noConverter, noBuffer
    }

    func loadSamples(from url: URL) throws -> [Float] {
        let audioFile = try AVAudioFile(forReading: url)
        let inputFormat = audioFile.processingFormat
        guard
            let outputFormat = AVAudioFormat(
                commonFormat: .pcmFormatFloat32, sampleRate: 16_000, channels: 1, interleaved: false)
        else { throw LoadError.noFormat }
        guard let converter = AVAudioConverter(from: inputFormat, to: outputFormat) else {
            throw LoadError.noConverter
        }
        let frameCount = AVAudioFrameCount(audioFile.length)
        guard let inputBuffer = AVAudioPCMBuffer(pcmFormat: inputFormat, frameCapacity: frameCount) else {
            throw LoadError.noBuffer
        }
        try audioFile.read(into: inputBuffer)

        let ratio = outputFormat.sampleRate / inputFormat.sampleRate
        let capacity = AVAudioFrameCount(Double(inputBuffer.frameLength) * ratio) + 1
        guard let outputBuffer = AVAudioPCMBuffer(pcmFormat: outputFormat, frameCapacity: capacity) else {
            throw LoadError.noBuffer
        }
        var error: NSError?
        var hasGivenInput = false
        let inputBlock: AVAudioConverterInputBlock = { _, outStatus in
            if hasGivenInput {
                outStatus.pointee = .endOfStream
                return nil
            }
            hasGivenInput = true
            outStatus.pointee = AVAudioConverterInputStatus.haveData
            return inputBuffer
        }
        let status = converter.convert(to: outputBuffer, error: &error, withInputFrom: inputBlock)
        if status == .error, let error { throw error }

        guard let channelData = outputBuffer.floatChannelData else { throw LoadError.noBuffer }
        return Array(UnsafeBufferPointer(start: channelData[0], count: Int(outputBuffer.frameLength)))
    }

    /// Stores samples as an app's recorder does.
    func store(_ samples: [Float], to url: URL) throws {
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatLinearPCM),
            AVSampleRateKey: 16_000,
            AVNumberOfChannelsKey: 1,
            AVLinearPCMBitDepthKey: 16,
            AVLinearPCMIsFloatKey: false,
            AVLinearPCMIsBigEndianKey: false,
        ]
        let file = try AVAudioFile(
            forWriting: url, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
        guard
            let buffer = AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(samples.count))
        else { throw LoadError.noBuffer }
        buffer.frameLength = buffer.frameCapacity
        let audioBuffer = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)[0]
        samples.withUnsafeBytes { source in
            guard let address = source.baseAddress else { return }
            audioBuffer.mData?.copyMemory(from: address, byteCount: Int(audioBuffer.mDataByteSize))
        }
        try file.write(from: buffer)
    }
}
