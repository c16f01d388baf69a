import AudioModel
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
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let shape = BufferShape(format) else { return nil }
        let (bytes, overflow) = shape.bytesPerFrame.multipliedReportingOverflow(by: frameCapacity)
        guard
            !overflow,
            let memory = BufferMemory(
                bufferCount: shape.bufferCount, channelsPerBuffer: shape.channelsPerBuffer, byteCapacity: bytes)
        else { return nil }
        self.frameCapacity = frameCapacity
        channels = Self.firstSamples(of: memory, format)
        super.init(format: format, memory: memory)
    }

    /// A buffer that uses existing memory; all its frames are valid.
    ///
    /// - Parameters:
    ///   - format: the linear PCM format of the memory.
    ///   - bufferList: one buffer, or one for each channel of a planar format; all of the same size in bytes.
    ///   - deallocator: called with the list when the memory is no longer used.
    /// - Returns: nil for a format that is not linear PCM or has no bytes per frame, for a list with another number of
    ///   buffers than the format has, and for buffers of 0 bytes, of different sizes or without an address.
    public init?(
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
        frameCapacity = frames
        channels = Self.firstSamples(of: memory, format)
        super.init(format: format, memory: memory)
        memory.byteLength = memory.byteCapacity
    }

    /// - Precondition: `format` is linear PCM, and the memory has its shape.
    private static func firstSamples(
        of memory: BufferMemory, _ format: AVAudioFormat
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let channelCount = Int(format.channelCount)
        let sampleBytes = Int(format.streamDescription.pointee.mBytesPerFrame) / Int(memory.channelsPerBuffer)
        let channels = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            let data = memory.bufferCount == 1 ? memory.data(0) + channel * sampleBytes : memory.data(channel)
            (channels + channel).initialize(to: data)
        }
        return channels
    }

    deinit { channels.deallocate() }

    /// The number of valid frames.
    ///
    /// - Precondition: at most `frameCapacity`, as in Apple's class.
    open var frameLength: AVAudioFrameCount {
        get { memory.byteLength / format.streamDescription.pointee.mBytesPerFrame }
        set {
            programmerError(
                unless: newValue <= frameCapacity,
                "frameLength \(newValue) is beyond the frameCapacity of \(frameCapacity)")
            memory.byteLength = newValue * format.streamDescription.pointee.mBytesPerFrame
        }
    }

    /// The distance between consecutive samples of a channel: the channel count if interleaved, otherwise 1.
    open var stride: Int { Int(memory.channelsPerBuffer) }

    /// Each channel's first sample; nil unless the samples are Float32.
    ///
    /// Frame *n* of channel *c* is `floatChannelData![c][n * stride]`. Valid while this object exists.
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { pointers(of: .pcmFormatFloat32) }

    /// Each channel's first sample; nil unless the samples are Int16.
    open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { pointers(of: .pcmFormatInt16) }

    /// Each channel's first sample; nil unless the samples are Int32.
    open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { pointers(of: .pcmFormatInt32) }

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
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
            programmerError("no memory for a copy of \(frameCapacity) frames in \(format)")
        }
        copy.memory.copyBytes(of: memory)
        return copy
    }

    open override var description: String {
        "<AVAudioPCMBuffer: \(frameLength) of \(frameCapacity) frames, \(format)>"
    }
}

extension AVAudioPCMBuffer {
    /// Reads frames as interleaved Float64.
    ///
    /// - Precondition: `range` is within the capacity, and `output` has room for its samples.
    package func decode(
        _ range: Range<Int>, with coding: SampleCoding, into output: UnsafeMutableBufferPointer<Double>
    ) {
        let channels = Int(format.channelCount)
        programmerError(
            unless: range.lowerBound >= 0 && range.upperBound <= Int(frameCapacity),
            "decoded frames are within the capacity")
        programmerError(unless: output.count >= range.count * channels, "the output has room for what is decoded")
        guard let base = output.baseAddress, !range.isEmpty else { return }
        for channel in 0..<channels {
            coding.decode(
                channelData(channel) + range.lowerBound * stride * coding.byteCount, spacing: stride,
                count: range.count, into: base + channel, step: channels)
        }
    }

    /// Writes frames of interleaved Float64 from frame `start` on.
    ///
    /// - Precondition: they are within the capacity.
    package func encode(
        _ samples: UnsafeBufferPointer<Double>, at start: Int, with coding: SampleCoding
    ) {
        let channels = Int(format.channelCount)
        let count = samples.count / channels
        programmerError(
            unless: start >= 0 && start + count <= Int(frameCapacity), "encoded frames are within the capacity")
        guard let base = samples.baseAddress, count > 0 else { return }
        for channel in 0..<channels {
            coding.encode(
                base + channel, step: channels, count: count,
                into: channelData(channel) + start * stride * coding.byteCount, spacing: stride)
        }
    }
}

/// Memory for samples, with their format.
///
/// Create an `AVAudioPCMBuffer`. Only one thread at a time may change a buffer or its samples.
///
/// Source: SDK header AVAudioBuffer.h.
open class AVAudioBuffer: NSObject, NSCopying, NSMutableCopying {
    /// The layout of the samples; it does not change.
    public let format: AVAudioFormat
    package let memory: BufferMemory

    package init(format: AVAudioFormat, memory: BufferMemory) {
        self.format = format
        self.memory = memory
        super.init()
    }

    /// The samples, with the size of the valid part in bytes.
    ///
    /// Valid while this object exists. Do not change the list itself.
    open var audioBufferList: UnsafePointer<AudioBufferList> { UnsafePointer(memory.valid) }

    /// The samples, with the size of the capacity in bytes.
    ///
    /// Valid while this object exists. A function that lowers the sizes reports how much it wrote; set `frameLength`
    /// accordingly.
    open var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { memory.whole }

    /// A buffer of the same capacity and length with its own copy of the samples.
    open func copy(with zone: NSZone? = nil) -> Any { AVAudioBuffer(format: format, memory: memory.copied()) }

    /// The same as `copy(with:)`.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copy(with: zone) }
}

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

/// The memory of an audio buffer, and the two lists that describe it: what is valid, and all of it.
///
/// Not thread-safe, as the buffer is not.
package final class BufferMemory {
    /// One buffer, or one for each channel where they are apart.
    package let bufferCount: Int
    package let channelsPerBuffer: UInt32
    /// Of each buffer.
    package let byteCapacity: UInt32
    package let valid: UnsafeMutablePointer<AudioBufferList>
    package let whole: UnsafeMutablePointer<AudioBufferList>

    private let release: () -> Void

    /// Zeroed memory; nil when the machine has not so much.
    package convenience init?(bufferCount: Int, channelsPerBuffer: UInt32, byteCapacity: UInt32) {
        var buffers: [UnsafeMutableRawPointer] = []
        for _ in 0..<bufferCount {
            // calloc of large sizes touches no page before it is used, so a generous capacity costs nothing. Never of 0
            // bytes: that may be a null pointer, and every channel has an address.
            guard let data = calloc(1, max(16, Int(byteCapacity))) else {
                buffers.forEach { free($0) }
                return nil
            }
            buffers.append(data)
        }
        self.init(buffers, channelsPerBuffer: channelsPerBuffer, byteCapacity: byteCapacity) { [buffers] in
            buffers.forEach { free($0) }
        }
    }

    /// Memory of another owner.
    ///
    /// `release` runs after the last use.
    package init(
        _ buffers: [UnsafeMutableRawPointer], channelsPerBuffer: UInt32, byteCapacity: UInt32,
        release: @escaping () -> Void
    ) {
        bufferCount = buffers.count
        self.channelsPerBuffer = channelsPerBuffer
        self.byteCapacity = byteCapacity
        self.release = release
        let lists = [0, byteCapacity].map { size in
            let list = AudioBufferList.allocate(maximumBuffers: max(1, buffers.count))
            for (index, data) in buffers.enumerated() {
                list[index] = AudioBuffer(mNumberChannels: channelsPerBuffer, mDataByteSize: size, mData: data)
            }
            return list.unsafeMutablePointer
        }
        valid = lists[0]
        whole = lists[1]
    }

    deinit {
        release()
        free(valid)
        free(whole)
    }

    /// The bytes of each buffer that are valid.
    package var byteLength: UInt32 {
        get { valid.pointee.mBuffers.mDataByteSize }
        set {
            for index in 0..<bufferCount { UnsafeMutableAudioBufferListPointer(valid)[index].mDataByteSize = newValue }
        }
    }

    package func data(_ buffer: Int) -> UnsafeMutableRawPointer {
        // Set in the initialiser and never changed.
        UnsafeMutableAudioBufferListPointer(valid)[buffer].mData!
    }

    /// Its own memory with the same bytes, also of those beyond what is valid.
    package func copied() -> BufferMemory {
        guard
            let copy = BufferMemory(
                bufferCount: bufferCount, channelsPerBuffer: channelsPerBuffer, byteCapacity: byteCapacity)
        else { programmerError("no memory for a copy of \(bufferCount) buffers of \(byteCapacity) bytes") }
        copy.copyBytes(of: self)
        return copy
    }

    /// - Precondition: `other` has the same shape.
    fileprivate func copyBytes(of other: BufferMemory) {
        for index in 0..<bufferCount { memcpy(data(index), other.data(index), Int(byteCapacity)) }
        byteLength = other.byteLength
    }
}
