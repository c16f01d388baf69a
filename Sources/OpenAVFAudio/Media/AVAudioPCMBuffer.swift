public import Foundation

/// Memory for frames of linear PCM, of which the first `frameLength` are valid.
///
/// Interleaved formats have one buffer, other formats one for each channel. New memory is silent.
///
/// Source: SDK header AVAudioBuffer.h.
open class AVAudioPCMBuffer: AVAudioBuffer {
    /// In frames.
    public let frameCapacity: AVAudioFrameCount

    /// The first sample of each channel.
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

    /// A silent buffer without valid frames.
    ///
    /// - Returns: nil for a format that is not linear PCM or has no bytes per frame, for a capacity of more than 2³² −
    ///   1 bytes, and if there is not enough memory.
    public convenience init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let shape = BufferShape(format) else { return nil }
        let (bytes, overflow) = shape.bytesPerFrame.multipliedReportingOverflow(by: frameCapacity)
        guard
            !overflow,
            let memory = BufferMemory(
                bufferCount: shape.bufferCount, channelsPerBuffer: shape.channelsPerBuffer, byteCapacity: bytes)
        else { return nil }
        self.init(format: format, memory: memory, frameCapacity: frameCapacity)
    }

    /// A buffer that uses existing memory; all its frames are valid.
    ///
    /// - Parameters:
    ///   - format: the linear PCM format of the memory.
    ///   - bufferList: one buffer, or one for each channel of a planar format; all of the same size in bytes.
    ///   - deallocator: called with the list when the memory is no longer used.
    /// - Returns: nil for a format that is not linear PCM or has no bytes per frame, for a list with another number of
    ///   buffers than the format has, and for buffers of 0 bytes, of different sizes or without an address.
    public convenience init?(
        pcmFormat format: AVAudioFormat, bufferListNoCopy bufferList: UnsafePointer<AudioBufferList>,
        deallocator: ((UnsafePointer<AudioBufferList>) -> Void)? = nil
    ) {
        let list = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList))
        guard let shape = BufferShape(format), list.count == shape.bufferCount else { return nil }
        let bytes = list[0].mDataByteSize
        let buffers = list.compactMap(\.mData)
        let frames = bytes / shape.bytesPerFrame
        guard frames > 0, buffers.count == list.count, list.allSatisfy({ $0.mDataByteSize == bytes }) else {
            return nil
        }
        let memory = BufferMemory(
            buffers, channelsPerBuffer: shape.channelsPerBuffer, byteCapacity: frames * shape.bytesPerFrame
        ) {
            guard let deallocator else { return }
            // The caller's list may be gone by then: this is one that says the same.
            let list = AudioBufferList.allocate(maximumBuffers: buffers.count)
            for (index, data) in buffers.enumerated() {
                list[index] = AudioBuffer(
                    mNumberChannels: shape.channelsPerBuffer, mDataByteSize: bytes, mData: data)
            }
            deallocator(list.unsafePointer)
            free(list.unsafeMutablePointer)
        }
        self.init(format: format, memory: memory, frameCapacity: frames)
        frameLength = frames
    }

    /// - Precondition: `format` is linear PCM, and the memory has its shape.
    private init(format: AVAudioFormat, memory: BufferMemory, frameCapacity: AVAudioFrameCount) {
        self.frameCapacity = frameCapacity
        let channelCount = Int(format.channelCount)
        let sampleBytes = Int(format.streamDescription.pointee.mBytesPerFrame) / Int(memory.channelsPerBuffer)
        channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            let data = memory.bufferCount == 1 ? memory.data(0) + channel * sampleBytes : memory.data(channel)
            (channels + channel).initialize(to: data)
        }
        super.init(format: format, memory: memory)
    }

    deinit { channels.deallocate() }

    /// The number of valid frames.
    ///
    /// - Precondition: at most `frameCapacity`, as in Apple's class.
    public var frameLength: AVAudioFrameCount {
        get { memory.byteLength / format.streamDescription.pointee.mBytesPerFrame }
        set {
            precondition(
                newValue <= frameCapacity, "frameLength \(newValue) is beyond the frameCapacity of \(frameCapacity)")
            memory.byteLength = newValue * format.streamDescription.pointee.mBytesPerFrame
        }
    }

    /// The distance between consecutive samples of a channel: the channel count if interleaved, otherwise 1.
    public var stride: Int { Int(memory.channelsPerBuffer) }

    /// Each channel's first sample; nil unless the samples are Float32.
    ///
    /// Frame *n* of channel *c* is `floatChannelData![c][n * stride]`. Valid while this object exists.
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { pointers(of: .pcmFormatFloat32) }

    /// Each channel's first sample; nil unless the samples are Int16.
    public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { pointers(of: .pcmFormatInt16) }

    /// Each channel's first sample; nil unless the samples are Int32.
    public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { pointers(of: .pcmFormatInt32) }

    private func pointers<Sample>(
        of common: AVAudioCommonFormat
    ) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard format.commonFormat == common else { return nil }
        // A pointer is a pointer: the memory holds addresses, which the format says are of this type.
        return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }

    /// The first sample of a channel, whatever its type.
    package func channelData(_ channel: Int) -> UnsafeMutableRawPointer { channels[channel] }

    open override func copy(with zone: NSZone? = nil) -> Any {
        AVAudioPCMBuffer(format: format, memory: memory.copied(), frameCapacity: frameCapacity)
    }

    open override var description: String {
        "<AVAudioPCMBuffer: \(frameLength) of \(frameCapacity) frames, \(format)>"
    }
}
