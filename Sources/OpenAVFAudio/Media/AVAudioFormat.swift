package import AudioModel
public import Foundation
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
    public let channelLayout: AVAudioChannelLayout?

    private let cookie = Mutex<Data?>(nil)

    /// A format without channels and rate, which nothing accepts.
    public convenience override init() { self.init(AudioStreamBasicDescription(), layout: nil) }

    /// Any format of one or two channels.
    ///
    /// - Returns: nil for other channel counts, and for a sample rate that is negative or NaN.
    public convenience init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(streamDescription: asbd, channelLayout: nil)
    }

    /// Any format, with its layout.
    ///
    /// - Returns: nil for more than two channels without a layout, for a layout with another channel count, for no
    ///   channels, and for a sample rate that is negative or NaN.
    public convenience init?(
        streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
    ) {
        let format = asbd.pointee
        guard
            Self.isUsable(rate: format.mSampleRate, channels: format.mChannelsPerFrame, layout: layout)
        else { return nil }
        self.init(format, layout: layout)
    }

    /// The standard format.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - channels: 1 or 2; more channels need a layout.
    /// - Returns: nil for channel counts other than 1 and 2, and for a sample rate that is negative or NaN.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// The standard format with the layout's channels.
    public convenience init(standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout)
    {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false, channelLayout: layout)
    }

    /// One of the named PCM formats.
    ///
    /// - Returns: nil for `.otherFormat`, for channel counts other than 1 and 2, and for a sample rate that is negative
    ///   or NaN.
    public convenience init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard format != .otherFormat, Self.isUsable(rate: sampleRate, channels: channels, layout: nil) else {
            return nil
        }
        self.init(.pcm(format, rate: sampleRate, channels: channels, isInterleaved: interleaved), layout: nil)
    }

    /// One of the named PCM formats with the layout's channels.
    ///
    /// `.otherFormat` gives a format of width 0: no conversion to it and no buffer of it is possible.
    public convenience init(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
        channelLayout layout: AVAudioChannelLayout
    ) {
        self.init(
            .pcm(format, rate: sampleRate, channels: layout.channelCount, isInterleaved: interleaved), layout: layout)
    }

    /// The format of a settings dictionary: see `AVFormatIDKey` and related keys.
    ///
    /// By default, linear PCM is 16 bit, signed, of the machine's byte order and interleaved.
    ///
    /// - Returns: nil without a format, a sample rate or a channel count, and if they are not a valid format.
    public convenience init?(settings: [String: Any]) {
        let settings = AudioSettings(settings)
        guard
            let format = settings.streamDescription,
            Self.isUsable(rate: format.mSampleRate, channels: format.mChannelsPerFrame, layout: settings.channelLayout)
        else { return nil }
        self.init(format, layout: settings.channelLayout)
    }

    package init(_ format: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) {
        let pointer = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
        pointer.initialize(to: format)
        streamDescription = UnsafePointer(pointer)
        channelLayout = layout
        super.init()
    }

    deinit { UnsafeMutablePointer(mutating: streamDescription).deallocate() }

    private static func isUsable(rate: Double, channels: UInt32, layout: AVAudioChannelLayout?) -> Bool {
        guard rate.isFinite, rate >= 0, channels > 0 else { return false }
        return layout.map { $0.channelCount == channels } ?? (channels <= 2)
    }

    /// Float32 of the machine's byte order, not interleaved.
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The named sample format; `otherFormat` if none of the names fits.
    public var commonFormat: AVAudioCommonFormat {
        switch SampleCoding(streamDescription.pointee) {
        case .float32: .pcmFormatFloat32
        case .float64: .pcmFormatFloat64
        case .int16: .pcmFormatInt16
        case .int32: .pcmFormatInt32
        case .bytes, nil: .otherFormat
        }
    }

    /// The number of channels in a frame.
    public var channelCount: AVAudioChannelCount { streamDescription.pointee.mChannelsPerFrame }
    /// In hertz; 0 if unknown.
    public var sampleRate: Double { streamDescription.pointee.mSampleRate }
    /// Whether the samples of a frame are adjacent; meaningless for compressed formats.
    public var isInterleaved: Bool {
        streamDescription.pointee.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0
    }

    /// Additional data for a decoder; it is stored, and not used here.
    public var magicCookie: Data? {
        get { cookie.withLock { $0 } }
        set { cookie.withLock { $0 = newValue } }
    }

    /// The format as a settings dictionary; `init(settings:)` with it returns an equal format.
    public var settings: [String: Any] {
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
