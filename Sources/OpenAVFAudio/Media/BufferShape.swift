/// The buffers that a linear PCM format needs.
struct BufferShape {
    let bufferCount: Int
    let channelsPerBuffer: UInt32
    let bytesPerFrame: UInt32

    /// - Returns: nil for what is not linear PCM or has no bytes per frame, or too few for its channels.
    init?(_ format: AVAudioFormat) {
        let channels = format.channelCount
        bytesPerFrame = format.streamDescription.pointee.mBytesPerFrame
        bufferCount = format.isInterleaved ? 1 : Int(channels)
        channelsPerBuffer = format.isInterleaved ? channels : 1
        guard format.isLinearPCM, channels > 0, channels <= 0xFFFF, bytesPerFrame >= channelsPerBuffer else {
            return nil
        }
    }
}
