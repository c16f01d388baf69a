public import CAudioTypes
public import CoreMedia
import Foundation
internal import OpenAVFAudio

// Of Core Media's buffers what reading the sound of an asset needs: no video, no attachments, no timing arrays.
//
// Source: SDK headers CMFormatDescription.h, CMBlockBuffer.h and CMSampleBuffer.h of CoreMedia.

/// What the samples of a buffer or of a track are.
public final class CMFormatDescription: Sendable {
    let format: AVAudioFormat

    init(_ format: AVAudioFormat) { self.format = format }

    /// The samples as Core Audio describes them.
    public var audioStreamBasicDescription: AudioStreamBasicDescription? { format.streamDescription.pointee }
    /// Valid as long as the description exists.
    var streamDescription: UnsafePointer<AudioStreamBasicDescription> { format.streamDescription }
}

/// A description of sound.
public typealias CMAudioFormatDescription = CMFormatDescription

/// The samples as Core Audio describes them; valid as long as the description exists.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? { desc.streamDescription }

/// The kind of a medium, as four characters.
public typealias CMMediaType = UInt32
/// "soun".
public let kCMMediaType_Audio: CMMediaType = 0x736f_756e

/// The kind of the medium; always `kCMMediaType_Audio`.
public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType { kCMMediaType_Audio }

/// The format of the samples, such as `kAudioFormatLinearPCM`.
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> AudioFormatID {
    desc.streamDescription.pointee.mFormatID
}

/// A number of samples or buffers.
public typealias CMItemCount = Int

/// Success.
public let kCMBlockBufferNoErr: OSStatus = 0
/// An offset or a length is outside of the buffer.
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12_704
/// A parameter is wrong.
public let kCMSampleBufferError_RequiredParameterMissing: OSStatus = -12_731

/// Bytes in one piece.
///
/// `@unchecked Sendable`: the memory is written by `init` only, unless an app writes into what `CMBlockBufferGetDataPointer` gives it.
public final class CMBlockBuffer: @unchecked Sendable {
    fileprivate let bytes: UnsafeMutableBufferPointer<Int8>

    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = .allocate(capacity: count)
        bytes.initialize(repeating: 0)
        fill(UnsafeMutableRawBufferPointer(bytes))
    }

    deinit { bytes.deallocate() }

    /// In bytes.
    public var dataLength: Int { bytes.count }

    /// A copy of the bytes.
    public func dataBytes() throws -> Data { Data(UnsafeRawBufferPointer(bytes)) }

    /// Calls a closure with the bytes.
    public func withContiguousBuffer<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        try body(UnsafeRawBufferPointer(bytes))
    }
}

/// In bytes.
public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { theBuffer.dataLength }

/// Where the bytes are from an offset on; valid as long as the buffer exists.
public func CMBlockBufferGetDataPointer(
    _ theBuffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
    totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
    guard (0..<max(theBuffer.dataLength, 1)).contains(offset) else { return kCMBlockBufferBadOffsetParameterErr }
    lengthAtOffsetOut?.pointee = theBuffer.dataLength - offset
    totalLengthOut?.pointee = theBuffer.dataLength
    dataPointerOut?.pointee = theBuffer.bytes.baseAddress.map { $0 + offset }
    return kCMBlockBufferNoErr
}

/// Copies bytes from an offset on.
public func CMBlockBufferCopyDataBytes(
    _ theSourceBuffer: CMBlockBuffer, atOffset offsetToData: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus {
    guard offsetToData >= 0, dataLength >= 0, dataLength <= theSourceBuffer.dataLength - offsetToData else {
        return kCMBlockBufferBadOffsetParameterErr
    }
    if dataLength > 0, let bytes = theSourceBuffer.bytes.baseAddress {
        destination.copyMemory(from: bytes + offsetToData, byteCount: dataLength)
    }
    return kCMBlockBufferNoErr
}

/// Some samples of a sound, with their time.
public final class CMSampleBuffer: Sendable {
    /// Their bytes: interleaved frames, or the channels one after the other.
    public let dataBuffer: CMBlockBuffer?
    /// What they are.
    public let formatDescription: CMFormatDescription?
    /// Frames.
    public let numSamples: CMItemCount
    /// Of the first frame, in the asset.
    public let presentationTimeStamp: CMTime

    init(_ buffer: AVAudioPCMBuffer, at time: CMTime) {
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        // The list may name all of its memory.
        let size = Int(buffer.frameLength) * Int(buffer.format.streamDescription.pointee.mBytesPerFrame)
        dataBuffer = CMBlockBuffer(count: list.count * size) { bytes in
            for (index, part) in list.enumerated() {
                guard let data = part.mData else { continue }
                UnsafeMutableRawBufferPointer(rebasing: bytes[(index * size)..<((index + 1) * size)])
                    .copyMemory(from: UnsafeRawBufferPointer(start: data, count: size))
            }
        }
        formatDescription = CMFormatDescription(buffer.format)
        numSamples = Int(buffer.frameLength)
        presentationTimeStamp = time
    }

    /// The time that the frames take.
    public var duration: CMTime {
        let rate = formatDescription?.format.sampleRate ?? 0
        return rate > 0 ? CMTime(value: CMTimeValue(numSamples), timescale: CMTimeScale(rate.rounded())) : .invalid
    }

    /// In bytes.
    public var totalSampleSize: Int { dataBuffer?.dataLength ?? 0 }
}

/// The bytes of the samples.
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { sbuf.dataBuffer }
/// What the samples are.
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? {
    sbuf.formatDescription
}
/// Frames.
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }
/// In bytes.
public func CMSampleBufferGetTotalSampleSize(_ sbuf: CMSampleBuffer) -> Int { sbuf.totalSampleSize }
/// Of the first frame.
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.presentationTimeStamp }
/// The time that the frames take.
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }
/// Always true: a buffer is whole as long as it exists.
public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { true }
/// Without effect: the memory goes with the last reference.
@discardableResult
public func CMSampleBufferInvalidate(_ sbuf: CMSampleBuffer) -> OSStatus { 0 }

/// A buffer list that names the samples' bytes, which `blockBufferOut` keeps.
///
/// - Parameters:
///   - sbuf: of LPCM.
///   - bufferListSizeNeededOut: in bytes.
///   - bufferListOut: room for the list.
///   - bufferListSize: of that room, in bytes.
///   - blockBufferAllocator: ignored.
///   - blockBufferMemoryAllocator: ignored.
///   - flags: ignored: memory of Swift is aligned to 16 bytes.
///   - blockBufferOut: receives the block; the list is valid as long as it exists.
/// - Returns: `kCMSampleBufferError_RequiredParameterMissing` for too little room.
public func CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
    _ sbuf: CMSampleBuffer, bufferListSizeNeededOut: UnsafeMutablePointer<Int>?,
    bufferListOut: UnsafeMutablePointer<AudioBufferList>?, bufferListSize: Int, blockBufferAllocator: Any? = nil,
    blockBufferMemoryAllocator: Any? = nil, flags: UInt32, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    guard let block = sbuf.dataBuffer, let format = sbuf.formatDescription?.format else {
        return kCMSampleBufferError_RequiredParameterMissing
    }
    let channels = Int(format.channelCount)
    let count = format.isInterleaved ? 1 : channels
    let needed = AudioBufferList.sizeInBytes(maximumBuffers: count)
    bufferListSizeNeededOut?.pointee = needed
    if let bufferListOut {
        guard bufferListSize >= needed else { return kCMSampleBufferError_RequiredParameterMissing }
        bufferListOut.pointee.mNumberBuffers = UInt32(count)
        let list = UnsafeMutableAudioBufferListPointer(bufferListOut)
        let size = block.dataLength / count
        for index in 0..<count {
            list[index] = AudioBuffer(
                mNumberChannels: UInt32(channels / count), mDataByteSize: UInt32(size),
                mData: block.bytes.baseAddress.map { UnsafeMutableRawPointer($0 + index * size) })
        }
    }
    blockBufferOut.pointee = block
    return 0
}

/// Memory that is aligned to 16 bytes, as it always is.
public let kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment: UInt32 = 1

extension AVAudioFormat {
    /// The format of a description.
    public convenience init(cmAudioFormatDescription: CMAudioFormatDescription) {
        self.init(
            cmAudioFormatDescription.streamDescription.pointee, layout: cmAudioFormatDescription.format.channelLayout)
    }

    /// The format as Core Media describes it.
    public var formatDescription: CMAudioFormatDescription { CMFormatDescription(self) }
}
