import AudioModel
import Foundation
import Threading

/// What `nowPlayingInfo` says of an item.
struct NowPlayingItem: Hashable, Sendable {
    /// Untrusted text in all of it.
    var texts: [String: String] = [:]
    var numbers: [String: Int32] = [:]
    /// Seconds; nil if it is not known, or never ends.
    var duration: Double?
    var elapsed: Double
    /// When `elapsed` was set, in seconds of CLOCK_MONOTONIC.
    var time: Double
    var rate: Double
    /// Everyone on the session bus may read it: without passwords and tokens.
    var url: String?
    var artwork: MPMediaItemArtwork?

    private static let textKeys = [
        MPMediaItemPropertyTitle, MPMediaItemPropertyArtist, MPMediaItemPropertyAlbumTitle,
        MPMediaItemPropertyAlbumArtist,
        MPMediaItemPropertyGenre, MPMediaItemPropertyComposer, MPNowPlayingInfoPropertyExternalContentIdentifier,
    ]
    private static let numberKeys = [MPMediaItemPropertyAlbumTrackNumber, MPMediaItemPropertyDiscNumber]
    /// Against a text that a bus would refuse.
    private static let longestText = 4096

    init(_ info: [String: Any]) {
        func seconds(_ key: String) -> Double? {
            let number = (info[key] as? NSNumber)?.doubleValue ?? info[key] as? Double
            return number.flatMap { $0.isFinite && $0 >= 0 ? min($0, 1e9) : nil }
        }
        for key in Self.textKeys {
            if let text = info[key] as? String { texts[key] = String(text.prefix(Self.longestText)) }
        }
        for key in Self.numberKeys { if let number = seconds(key) { numbers[key] = Int32(number) } }
        let isLive = (info[MPNowPlayingInfoPropertyIsLiveStream] as? NSNumber)?.boolValue ?? false
        duration = isLive ? nil : seconds(MPMediaItemPropertyPlaybackDuration)
        elapsed = seconds(MPNowPlayingInfoPropertyElapsedPlaybackTime) ?? 0
        rate = seconds(MPNowPlayingInfoPropertyPlaybackRate) ?? 1
        time = monotonicSeconds()
        url = (info[MPNowPlayingInfoPropertyAssetURL] as? URL)?.absoluteString.withoutAddressSecrets
        artwork = info[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork
    }

    /// Seconds; computed from the time when it was set.
    func position(at now: Double, isPlaying: Bool) -> Double {
        let position = elapsed + (isPlaying ? (now - time) * rate : 0)
        return min(position, duration ?? .infinity)
    }

    /// Whether another one is the same item at another moment.
    func isSameItem(as other: NowPlayingItem) -> Bool {
        (texts, numbers, duration, url) == (other.texts, other.numbers, other.duration, other.url)
    }
}
