public import Foundation

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
    public var audioBufferList: UnsafePointer<AudioBufferList> { UnsafePointer(memory.valid) }

    /// The samples, with the size of the capacity in bytes.
    ///
    /// Valid while this object exists. A function that lowers the sizes reports how much it wrote; set `frameLength`
    /// accordingly.
    public var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { memory.whole }

    /// A buffer of the same capacity and length with its own copy of the samples.
    open func copy(with zone: NSZone? = nil) -> Any { AVAudioBuffer(format: format, memory: memory.copied()) }

    /// The same as `copy(with:)`.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copy(with: zone) }
}
