package import AudioModel
// Code that imports AVFAudio finds AudioBufferList and its neighbours there, as on Apple's platforms.
public import CAudioTypes
public import Foundation
internal import OpenAudioSession
private import Synchronization

/// The format of a stream: sample rate, channels, and the layout of samples.
///
/// The *standard* format is Float32 of the machine's byte order, not interleaved. More than two channels need a layout.
/// Two formats are equal if all properties are equal; one or two channels without a layout are mono and stereo.
///
/// `@unchecked Sendable`: constants, and `magicCookie`, which has a lock. A subclass must not add mutable state.
///
/// Source: SDK header AVAudioFormat.h.
open class AVAudioFormat: NSObject, @unchecked Sendable {
    /// The format for Core Audio's C functions.
    ///
    /// Valid while this object is.
    public let streamDescription: UnsafePointer<AudioStreamBasicDescription>
    /// Nil if the format was created without one.
    open var channelLayout: AVAudioChannelLayout? { layout }

    private let cookie = Mutex<Data?>(nil)
    /// Set by initialisers only.
    private var layout: AVAudioChannelLayout?

    // The initialisers are designated, as Apple's are: a subclass of an app's inherits them, and calls them with `super`.

    /// A format without channels and rate, which nothing accepts.
    public override init() {
        streamDescription = Self.allocated(AudioStreamBasicDescription())
        super.init()
    }

    /// Any format of one or two channels.
    ///
    /// - Returns: nil for other channel counts, and for a sample rate that is negative or NaN.
    public init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
        guard Self.isUsable(asbd.pointee, layout: nil) else { return nil }
        streamDescription = Self.allocated(asbd.pointee)
        super.init()
    }

    /// Any format, with its layout.
    ///
    /// - Returns: nil for more than two channels without a layout, for a layout with another channel count, for no
    ///   channels, and for a sample rate that is negative or NaN.
    public init?(
        streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
    ) {
        guard Self.isUsable(asbd.pointee, layout: layout) else { return nil }
        streamDescription = Self.allocated(asbd.pointee)
        self.layout = layout
        super.init()
    }

    /// The standard format.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - channels: 1 or 2; more channels need a layout.
    /// - Returns: nil for channel counts other than 1 and 2, and for a sample rate that is negative or NaN.
    public init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        let format = AudioStreamBasicDescription.pcm(
            .pcmFormatFloat32, rate: sampleRate, channels: channels, isInterleaved: false)
        guard Self.isUsable(format, layout: nil) else { return nil }
        streamDescription = Self.allocated(format)
        super.init()
    }

    /// The standard format with the layout's channels.
    public init(standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout) {
        streamDescription = Self.allocated(
            .pcm(.pcmFormatFloat32, rate: sampleRate, channels: layout.channelCount, isInterleaved: false))
        self.layout = layout
        super.init()
    }

    /// One of the named PCM formats.
    ///
    /// - Returns: nil for `.otherFormat`, for channel counts other than 1 and 2, and for a sample rate that is negative
    ///   or NaN.
    public init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        // Before the format is made: the size of a frame of too many channels overflows.
        guard format != .otherFormat, Self.isUsable(rate: sampleRate, channels: channels, layout: nil) else {
            return nil
        }
        streamDescription = Self.allocated(
            .pcm(format, rate: sampleRate, channels: channels, isInterleaved: interleaved))
        super.init()
    }

    /// One of the named PCM formats with the layout's channels.
    ///
    /// `.otherFormat` gives a format of width 0: no conversion to it and no buffer of it is possible.
    public init(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
        channelLayout layout: AVAudioChannelLayout
    ) {
        streamDescription = Self.allocated(
            .pcm(format, rate: sampleRate, channels: layout.channelCount, isInterleaved: interleaved))
        self.layout = layout
        super.init()
    }

    /// The format of a settings dictionary: see `AVFormatIDKey` and related keys.
    ///
    /// By default, linear PCM is 16 bit, signed, of the machine's byte order and interleaved.
    ///
    /// - Returns: nil without a format, a sample rate or a channel count, and if they are not a valid format.
    public init?(settings: [String: Any]) {
        let settings = AudioSettings(settings)
        guard let format = settings.streamDescription, Self.isUsable(format, layout: settings.channelLayout) else {
            return nil
        }
        streamDescription = Self.allocated(format)
        layout = settings.channelLayout
        super.init()
    }

    /// Any description, also one that the public initialisers refuse.
    package convenience init(_ format: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) {
        self.init()
        UnsafeMutablePointer(mutating: streamDescription).pointee = format
        self.layout = layout
    }

    deinit { UnsafeMutablePointer(mutating: streamDescription).deallocate() }

    private static func allocated(
        _ format: AudioStreamBasicDescription
    ) -> UnsafePointer<AudioStreamBasicDescription> {
        let pointer = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
        pointer.initialize(to: format)
        return UnsafePointer(pointer)
    }

    private static func isUsable(_ format: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) -> Bool {
        isUsable(rate: format.mSampleRate, channels: format.mChannelsPerFrame, layout: layout)
    }

    private static func isUsable(rate: Double, channels: UInt32, layout: AVAudioChannelLayout?) -> Bool {
        guard rate.isFinite, rate >= 0, channels > 0 else { return false }
        return layout.map { $0.channelCount == channels } ?? (channels <= 2)
    }

    /// Float32 of the machine's byte order, not interleaved.
    open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The named sample format; `otherFormat` if none of the names fits.
    open var commonFormat: AVAudioCommonFormat {
        switch SampleCoding(streamDescription.pointee) {
        case .float32: .pcmFormatFloat32
        case .float64: .pcmFormatFloat64
        case .int16: .pcmFormatInt16
        case .int32: .pcmFormatInt32
        case .bytes, nil: .otherFormat
        }
    }

    /// The number of channels in a frame.
    open var channelCount: AVAudioChannelCount { streamDescription.pointee.mChannelsPerFrame }
    /// In hertz; 0 if unknown.
    open var sampleRate: Double { streamDescription.pointee.mSampleRate }
    /// Whether the samples of a frame are adjacent; meaningless for compressed formats.
    open var isInterleaved: Bool {
        streamDescription.pointee.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0
    }

    /// Additional data for a decoder; it is stored, and not used here.
    open var magicCookie: Data? {
        get { cookie.withLock { $0 } }
        set { cookie.withLock { $0 = newValue } }
    }

    /// The format as a settings dictionary; `init(settings:)` with it returns an equal format.
    open var settings: [String: Any] {
        AudioSettings.dictionary(for: streamDescription.pointee, layout: channelLayout)
    }

    /// Each channel's place in the room, as far as it is known.
    package var places: [ChannelLabel] {
        channelLayout?.places ?? ChannelLabel.standard(count: Int(channelCount))
    }

    package var isLinearPCM: Bool { streamDescription.pointee.mFormatID == kAudioFormatLinearPCM }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return other === self
            || streamDescription.pointee.isSame(as: other.streamDescription.pointee)
                && effectiveLayout == other.effectiveLayout
    }

    open override var hash: Int { combinedHash(sampleRate, channelCount, streamDescription.pointee.mFormatID) }

    /// The layout that the channel count implies where none was given.
    private var effectiveLayout: AVAudioChannelLayout? {
        channelLayout ?? (channelCount <= 2 ? AVAudioChannelLayout(places: places) : nil)
    }

    open override var description: String {
        let format = streamDescription.pointee
        let order = !isLinearPCM || channelCount < 2 ? "" : isInterleaved ? ", interleaved" : ", deinterleaved"
        let layout = channelLayout.map { ", \($0)" } ?? ""
        return "<AVAudioFormat: \(channelCount) ch, \(sampleRate) Hz, \(format.codingName)\(order)\(layout)>"
    }
}

/// The named layouts of linear PCM samples.
///
/// Source: SDK header AVAudioFormat.h.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Everything else: another width or byte order, or compressed.
    case otherFormat = 0
    /// Float32 of the machine's byte order, nominal ±1.
    case pcmFormatFloat32 = 1
    /// Float64 of the machine's byte order, nominal ±1.
    case pcmFormatFloat64 = 2
    /// Signed, of the machine's byte order; full scale is −32 768…32 767.
    case pcmFormatInt16 = 3
    /// Signed, of the machine's byte order; full scale is −2 147 483 648…2 147 483 647.
    case pcmFormatInt32 = 4
}

/// A position in a stream or file, counted from its first frame, or a length.
///
/// Source: SDK header AVAudioTypes.h.
public typealias AVAudioFramePosition = Int64

/// A number of frames: one sample of each channel is one frame.
public typealias AVAudioFrameCount = UInt32

/// A number of packets; in linear PCM each packet is one frame.
public typealias AVAudioPacketCount = UInt32

/// The number of an input or output of a node, from 0.
public typealias AVAudioNodeBus = Int

extension AudioStreamBasicDescription {
    /// One of the named PCM formats; `.otherFormat` has no width.
    package static func pcm(
        _ format: AVAudioCommonFormat, rate: Double, channels: UInt32, isInterleaved: Bool
    ) -> AudioStreamBasicDescription {
        switch format {
        case .pcmFormatFloat32: pcm(rate, channels, bits: 32, isFloat: true, isInterleaved: isInterleaved)
        case .pcmFormatFloat64: pcm(rate, channels, bits: 64, isFloat: true, isInterleaved: isInterleaved)
        case .pcmFormatInt16: pcm(rate, channels, bits: 16, isFloat: false, isInterleaved: isInterleaved)
        case .pcmFormatInt32: pcm(rate, channels, bits: 32, isFloat: false, isInterleaved: isInterleaved)
        case .otherFormat: pcm(rate, channels, bits: 0, isFloat: false, isInterleaved: isInterleaved)
        }
    }

    /// Packed linear PCM.
    ///
    /// - Parameter bits: per sample, a multiple of 8.
    package static func pcm(
        _ rate: Double, _ channels: UInt32, bits: UInt32, isFloat: Bool, isBigEndian: Bool? = nil, isInterleaved: Bool
    ) -> AudioStreamBasicDescription {
        var flags = kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
        if isBigEndian ?? (kAudioFormatFlagsNativeEndian != 0) { flags |= kAudioFormatFlagIsBigEndian }
        if !isInterleaved { flags |= kAudioFormatFlagIsNonInterleaved }
        let bytes = bits / 8 &* (isInterleaved ? channels : 1)
        return AudioStreamBasicDescription(
            mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags, mBytesPerPacket: bytes,
            mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: channels, mBitsPerChannel: bits, mReserved: 0
        )
    }

    /// Whether both say the same.
    package func isSame(as other: AudioStreamBasicDescription) -> Bool {
        mSampleRate == other.mSampleRate && mFormatID == other.mFormatID && mFormatFlags == other.mFormatFlags
            && mBytesPerPacket == other.mBytesPerPacket && mFramesPerPacket == other.mFramesPerPacket
            && mBytesPerFrame == other.mBytesPerFrame && mChannelsPerFrame == other.mChannelsPerFrame
            && mBitsPerChannel == other.mBitsPerChannel
    }

    /// "Float32", "Int24 big-endian", or a compressed format's four characters.
    package var codingName: String {
        guard mFormatID == kAudioFormatLinearPCM else {
            let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mFormatID >> UInt32($0)) }
            return "'" + String(decoding: characters.map { (32..<127).contains($0) ? $0 : 63 }, as: UTF8.self) + "'"
        }
        let kind =
            mFormatFlags & kAudioFormatFlagIsFloat != 0
            ? "Float" : mFormatFlags & kAudioFormatFlagIsSignedInteger != 0 ? "Int" : "UInt"
        let order = (mFormatFlags & kAudioFormatFlagIsBigEndian) == kAudioFormatFlagsNativeEndian
        let isBigEndian = mFormatFlags & kAudioFormatFlagIsBigEndian != 0
        return "\(kind)\(mBitsPerChannel)" + (order ? "" : isBigEndian ? " big-endian" : " little-endian")
    }
}
