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
            precondition(indices.contains(index), "buffer \(index) of a list of \(count)")
            return first[index]
        }
        nonmutating set {
            precondition(indices.contains(index), "buffer \(index) of a list of \(count)")
            first[index] = newValue
        }
    }
}
