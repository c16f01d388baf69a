internal import AudioFiles
public import Foundation

/// What has come from the server of an item.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemAccessLog: NSObject, @unchecked Sendable {
    // @unchecked: a constant.
    /// One: a sound has one variant, at one address.
    public let events: [AVPlayerItemAccessLogEvent]

    init(_ event: AVPlayerItemAccessLogEvent) {
        events = [event]
        super.init()
    }
}

/// What has come from one address, as it was when the log was asked for.
///
/// What is not known is nil, or a number below 0: a server does not tell a bit rate, and there are no segments.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemAccessLogEvent: NSObject, @unchecked Sendable {
    // @unchecked: constants.
    private let traffic: StreamTraffic
    /// The address of the sound, without a password.
    public let uri: String?
    /// How often the sound did not come in time.
    public let numberOfStalls: Int

    init(_ traffic: StreamTraffic, _ uri: String, stalls: Int) {
        (self.traffic, self.uri, numberOfStalls) = (traffic, uri, stalls)
        super.init()
    }

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
open class AVPlayerItemErrorLog: NSObject, @unchecked Sendable {
    // @unchecked: a constant.
    /// One: a sound that failed is not read on.
    public let events: [AVPlayerItemErrorLogEvent]

    init(_ event: AVPlayerItemErrorLogEvent) {
        events = [event]
        super.init()
    }
}

/// One error of an item from a server.
///
/// Source: SDK header AVPlayerItem.h of AVFoundation.
open class AVPlayerItemErrorLogEvent: NSObject, @unchecked Sendable {
    // @unchecked: constants.
    private let error: NSError
    /// When it came.
    public let date: Date?
    /// The address of the sound, without a password.
    public let uri: String?

    init(_ error: NSError, _ date: Date, _ uri: String) {
        (self.error, self.date, self.uri) = (error, date, uri)
        super.init()
    }

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
