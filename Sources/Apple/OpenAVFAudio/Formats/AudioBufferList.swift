import AudioModel
import Foundation

/// The buffers of an `AudioBufferList` as a collection.
///
/// Owns no memory; valid while the list exists. `count` may be changed within the allocated size.
///
/// Source: the Swift overlay of CoreAudio.
public struct UnsafeMutableAudioBufferListPointer {
    /// The list itself; this type does not own its memory.
    public let unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

    /// Wraps a list, which must outlive this value.
    public init(_ p: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = p }

    /// Wraps a list that may be missing.
    ///
    /// - Returns: nil for a null pointer.
    public init?(_ p: UnsafeMutablePointer<AudioBufferList>?) {
        guard let p else { return nil }
        self.init(p)
    }

    /// The list, for functions that do not change it.
    public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

    public var count: Int {
        get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
        nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(newValue) }
    }

    private var first: UnsafeMutablePointer<AudioBuffer> {
        let offset = MemoryLayout<AudioBufferList>.offset(of: \.mBuffers)!
        return (UnsafeMutableRawPointer(unsafeMutablePointer) + offset).assumingMemoryBound(to: AudioBuffer.self)
    }
}

extension UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
    public typealias Index = Int
    public typealias Indices = Range<Int>

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> AudioBuffer {
        get {
            guard indices.contains(index) else { programmerError("buffer \(index) of a list of \(count)") }
            return first[index]
        }
        nonmutating set {
            guard indices.contains(index) else { programmerError("buffer \(index) of a list of \(count)") }
            first[index] = newValue
        }
    }
}

extension AudioBuffer {
    /// Samples of some type as a buffer of `numberOfChannels` interleaved channels.
    public init<Element>(_ typedBuffer: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
        self.init(
            mNumberChannels: UInt32(numberOfChannels),
            mDataByteSize: UInt32(typedBuffer.count * MemoryLayout<Element>.stride),
            mData: UnsafeMutableRawPointer(typedBuffer.baseAddress))
    }
}

extension UnsafeBufferPointer {
    /// The samples of a buffer; the caller knows their type.
    public init(_ audioBuffer: AudioBuffer) {
        let count = Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
        self.init(start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: count)
    }
}

extension UnsafeMutableBufferPointer {
    /// The samples of a buffer; the caller knows their type.
    public init(_ audioBuffer: AudioBuffer) {
        let count = Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
        self.init(start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: count)
    }
}

extension AudioBufferList {
    /// The size in bytes of a list of buffers, without the samples.
    public static func sizeInBytes(maximumBuffers: Int) -> Int {
        programmerError(unless: maximumBuffers >= 1, "a list has at least one buffer, not \(maximumBuffers)")
        return MemoryLayout<AudioBufferList>.size + (maximumBuffers - 1) * MemoryLayout<AudioBuffer>.stride
    }

    /// A list of `maximumBuffers` empty buffers.
    ///
    /// The caller frees it: `free(list.unsafeMutablePointer)`.
    public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
        let size = sizeInBytes(maximumBuffers: maximumBuffers)
        guard let memory = calloc(1, size) else { programmerError("no memory for \(size) bytes of buffer list") }
        let list = memory.bindMemory(to: AudioBufferList.self, capacity: 1)
        list.pointee.mNumberBuffers = UInt32(maximumBuffers)
        return UnsafeMutableAudioBufferListPointer(list)
    }
}
