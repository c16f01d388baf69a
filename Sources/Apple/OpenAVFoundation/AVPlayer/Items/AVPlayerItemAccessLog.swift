public import Foundation
internal import MediaStreams

/// What has come from the server of an item.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemAccessLog: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: a constant.
    private let event: AVPlayerItemAccessLogEvent?

    /// A log without events, for a double of an app's tests.
    public override init() {
        event = nil
        super.init()
    }

    init(_ event: AVPlayerItemAccessLogEvent) {
        self.event = event
        super.init()
    }

    /// One: a sound has one variant, at one address.
    open var events: [AVPlayerItemAccessLogEvent] { event.map { [$0] } ?? [] }

    /// The same object: nothing in it changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What has come from one address, as it was when the log was asked for.
///
/// What is not known is nil, or a number below 0: a server does not tell a bit rate, and there are no segments.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemAccessLogEvent: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: constants.
    private let traffic: StreamTraffic
    private let address: String?
    private let stallCount: Int

    /// An event of which nothing is known, for a double of an app's tests.
    public override init() {
        (traffic, address, stallCount) = (StreamTraffic(), nil, 0)
        super.init()
    }

    init(_ traffic: StreamTraffic, _ uri: String, stalls: Int) {
        (self.traffic, address, stallCount) = (traffic, uri, stalls)
        super.init()
    }

    /// The same object: nothing in it changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The address of the sound, without a password.
    open var uri: String? { address }
    /// How often the sound did not come in time.
    open var numberOfStalls: Int { stallCount }

    /// Those of the sound and its tags.
    open var numberOfBytesTransferred: Int64 { traffic.byteCount }
    /// The seconds that were waited for them.
    open var transferDuration: TimeInterval { traffic.seconds }
    /// Bits in a second of `transferDuration`.
    open var observedBitrate: Double { traffic.seconds > 0 ? Double(traffic.byteCount) * 8 / traffic.seconds : -1 }
    /// Answers of the server; of an app's own bytes, pieces of them.
    open var numberOfMediaRequests: Int { traffic.requestCount }

    /// Not known: nil.
    open var serverAddress: String? { nil }
    /// Not known: below 0.
    open var numberOfServerAddressChanges: Int { -1 }
    /// Not known: nil.
    open var playbackSessionID: String? { nil }
    /// Not known: nil.
    open var playbackStartDate: Date? { nil }
    /// Not known: below 0.
    open var playbackStartOffset: TimeInterval { -1 }
    /// Not known: nil.
    open var playbackType: String? { nil }
    /// Not known: below 0.
    open var startupTime: TimeInterval { -1 }
    /// Not known: below 0.
    open var durationWatched: TimeInterval { -1 }
    /// Not known: below 0.
    open var segmentsDownloadedDuration: TimeInterval { -1 }
    /// Not known: below 0.
    open var downloadOverdue: Int { -1 }
    /// Not known: below 0.
    open var indicatedBitrate: Double { -1 }
    /// Not known: below 0.
    open var indicatedAverageBitrate: Double { -1 }
    /// Not known: below 0.
    open var averageAudioBitrate: Double { -1 }
    /// There is no video: below 0.
    open var averageVideoBitrate: Double { -1 }
    /// Not known: below 0.
    open var observedBitrateStandardDeviation: Double { -1 }
    /// Not known: below 0.
    open var switchBitrate: Double { -1 }
    /// Not known: below 0.
    open var mediaRequestsWWAN: Int { -1 }
    /// There is no video: below 0.
    open var numberOfDroppedVideoFrames: Int { -1 }
}

/// Why an item from a server failed.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemErrorLog: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: a constant.
    private let event: AVPlayerItemErrorLogEvent?

    /// A log without events, for a double of an app's tests.
    public override init() {
        event = nil
        super.init()
    }

    init(_ event: AVPlayerItemErrorLogEvent) {
        self.event = event
        super.init()
    }

    /// One: a sound that failed is not read on.
    open var events: [AVPlayerItemErrorLogEvent] { event.map { [$0] } ?? [] }

    /// The same object: nothing in it changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// One error of an item from a server.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemErrorLogEvent: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: constants.
    private let error: NSError
    private let time: Date?
    private let address: String?

    /// An event without an error, for a double of an app's tests.
    public override init() {
        (error, time, address) = (NSError(domain: "", code: 0), nil, nil)
        super.init()
    }

    init(_ error: NSError, _ date: Date, _ uri: String) {
        (self.error, time, address) = (error, date, uri)
        super.init()
    }

    /// The same object: nothing in it changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// When it came.
    open var date: Date? { time }
    /// The address of the sound, without a password.
    open var uri: String? { address }

    /// The code of the item's `error`.
    open var errorStatusCode: Int { error.code }
    /// The domain of the item's `error`.
    open var errorDomain: String { error.domain }
    /// The words of the item's `error`.
    open var errorComment: String? { error.localizedDescription }
    /// Not known: nil.
    open var serverAddress: String? { nil }
    /// Not known: nil.
    open var playbackSessionID: String? { nil }
}

/// What an item notes for its logs.
struct ItemLog {
    var stallCount = 0
    var failure: (error: NSError, date: Date)?

    var error: NSError? { failure?.error }

    /// - Parameter traffic: nil for files.
    func accesses(_ traffic: StreamTraffic?, at address: String) -> AVPlayerItemAccessLog? {
        traffic.map { AVPlayerItemAccessLog(AVPlayerItemAccessLogEvent($0, address, stalls: stallCount)) }
    }

    func errors(at address: String) -> AVPlayerItemErrorLog? {
        failure.map { AVPlayerItemErrorLog(AVPlayerItemErrorLogEvent($0.error, $0.date, address)) }
    }
}
