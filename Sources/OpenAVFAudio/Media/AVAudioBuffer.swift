public import Foundation

/// Memory for sound, with its format.
///
/// Made as `AVAudioPCMBuffer`. One thread at a time may change a buffer, its samples included.
///
/// Source: SDK header AVAudioBuffer.h.
open class AVAudioBuffer: NSObject, NSCopying, NSMutableCopying {
    public let format: AVAudioFormat
    package let memory: BufferMemory

    package init(format: AVAudioFormat, memory: BufferMemory) {
        self.format = format
        self.memory = memory
        super.init()
    }

    /// The samples, with sizes in bytes of what is valid of them.
    ///
    /// Valid while this object is; the list itself must not be changed.
    public var audioBufferList: UnsafePointer<AudioBufferList> { UnsafePointer(memory.valid) }

    /// The samples, with sizes in bytes of all that fits.
    ///
    /// Valid while this object is. A function that lowers the sizes says thereby how much it wrote; set `frameLength`
    /// to match.
    public var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { memory.whole }

    /// A buffer of the same capacity and length with its own copy of the samples.
    open func copy(with zone: NSZone? = nil) -> Any { AVAudioBuffer(format: format, memory: memory.copied()) }

    /// As `copy(with:)`.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copy(with: zone) }
}
