import CAudioTypes
import CRealtime
import Foundation

/// A list of Float32 buffers, one for each channel, that points to the rows of a cycle.
///
/// `@unchecked Sendable`: one thread at a time has the block or the unit that it is for.
final class PlaneList: @unchecked Sendable {
    private let buffers: UnsafeMutableAudioBufferListPointer

    init(channels: Int) { buffers = AudioBufferList.allocate(maximumBuffers: channels) }

    deinit { free(buffers.unsafeMutablePointer) }

    var pointer: UnsafeMutablePointer<AudioBufferList> { buffers.unsafeMutablePointer }

    /// - Parameter bus: has a channel for each buffer.
    func point(to bus: oav_bus, frames: UInt32) {
        // The block may have written whatever it liked to the list.
        buffers.count = Int(bus.channel_count)
        for channel in 0..<Int(bus.channel_count) {
            buffers[channel] = AudioBuffer(
                mNumberChannels: 1, mDataByteSize: frames * UInt32(MemoryLayout<Float>.size),
                mData: bus.channels[channel])
        }
    }

    func silence() { buffers.silence() }

    /// What the block has written, also where it has put memory of its own into the list.
    func takeOver(to bus: oav_bus, frames: UInt32, isSilent: Bool) {
        buffers.count = Int(bus.channel_count)
        for channel in 0..<Int(bus.channel_count) {
            let (row, buffer) = (bus.channels[channel], buffers[channel])
            if isSilent {
                row.update(repeating: 0, count: Int(frames))
            } else if let data = buffer.mData, data != UnsafeMutableRawPointer(row) {
                let given = min(frames, buffer.mDataByteSize / UInt32(MemoryLayout<Float>.size))
                row.update(from: data.assumingMemoryBound(to: Float.self), count: Int(given))
                (row + Int(given)).update(repeating: 0, count: Int(frames - given))
            }
        }
    }
}

extension UnsafeMutableAudioBufferListPointer {
    /// Fills the sizes that the list says with zeros.
    ///
    /// Render thread too, where a debug build's iterator over a list would allocate.
    func silence() {
        for index in 0..<count {
            self[index].mData?.initializeMemory(as: UInt8.self, repeating: 0, count: Int(self[index].mDataByteSize))
        }
    }
}
