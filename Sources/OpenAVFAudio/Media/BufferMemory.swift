import Glibc

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
        else { preconditionFailure("no memory for a copy of \(bufferCount) buffers of \(byteCapacity) bytes") }
        for index in 0..<bufferCount { memcpy(copy.data(index), data(index), Int(byteCapacity)) }
        copy.byteLength = byteLength
        return copy
    }
}
