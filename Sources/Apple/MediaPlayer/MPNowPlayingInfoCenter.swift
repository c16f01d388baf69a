public import Foundation
import Synchronization

/// What the app plays, for the desktop's media controls.
///
/// On Linux they are those of the user's message bus (`org.mpris.MediaPlayer2`): desktops, `playerctl`, headsets and
/// keyboards with media keys. Without a message bus nothing is shown, and everything else works.
///
/// Any thread.
///
/// Source: Apple documentation (MPNowPlayingInfoCenter); MPRIS 2.2 (specifications.freedesktop.org/mpris-spec).
open class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    // @unchecked: constants, and Mutexes; subclasses have to keep to that.
    private static let shared = MPNowPlayingInfoCenter(export: .shared)

    private let place = Mutex<NowPlayingExport?>(nil)
    private let info = Mutex(Info())

    /// Rule: the values are the app's; they are only handed back to it.
    private struct Info: @unchecked Sendable {
        var values: [String: Any]?
        var state = MPNowPlayingPlaybackState.unknown
    }

    /// A center that no desktop shows: for a double of an app's tests.
    public override init() {}

    package convenience init(export: NowPlayingExport) {
        self.init()
        place.withLock { $0 = export }
    }

    /// Is what the desktop shows; nil: not any more.
    func attach(to export: NowPlayingExport?) {
        place.withLock { $0 = export }
        let info = info.withLock { $0 }
        export?.show(info.values.map(NowPlayingItem.init), info.state)
    }

    private var export: NowPlayingExport? { place.withLock { $0 } }

    /// The center of this process.
    open class func `default`() -> MPNowPlayingInfoCenter { shared }

    /// The properties of what plays now; nil, as at first: nothing does.
    ///
    /// Set the elapsed time again when it jumps, and the rate when it changes: in between, the position is computed from
    /// both. Values of another type than documented are left out.
    open var nowPlayingInfo: [String: Any]? {
        get { info.withLock { $0.values } }
        set {
            let before = info.withLock { info in
                defer { info.values = newValue }
                return info
            }
            export?.show(newValue.map(NowPlayingItem.init), before.state)
        }
    }

    /// Whether it plays.
    ///
    /// `unknown`, as at first, is what the rate in `nowPlayingInfo` says.
    open var playbackState: MPNowPlayingPlaybackState {
        get { info.withLock { $0.state } }
        set {
            info.withLock { $0.state = newValue }
            export?.setState(newValue)
        }
    }
}

/// The states of `MPNowPlayingInfoCenter.playbackState`.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// The rate in `nowPlayingInfo` says it.
    case unknown = 0
    /// It plays.
    case playing = 1
    /// It stands at its position.
    case paused = 2
    /// Nothing plays.
    case stopped = 3
    /// The desktop shows it as paused.
    case interrupted = 4
}

/// The kinds of media of `MPNowPlayingInfoPropertyMediaType`.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// It is not known.
    case none = 0
    /// Sound.
    case audio = 1
    /// A film.
    case video = 2
}

// MARK: Keys

/// `String`: the title.
public let MPMediaItemPropertyTitle = "title"
/// `String`: the artist.
public let MPMediaItemPropertyArtist = "artist"
/// `String`: the album's title.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// `String`: the album's artist.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// `String`: the genre.
public let MPMediaItemPropertyGenre = "genre"
/// `String`: the composer.
public let MPMediaItemPropertyComposer = "composer"
/// A number: the length in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// A number: the place in the album, from 1.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// A number: the place of the disc, from 1.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// `MPMediaItemArtwork`: the picture.
public let MPMediaItemPropertyArtwork = "artwork"

/// A number: the position in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// A number: how fast it plays now; 0 is a pause, and without it the rate is 1.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// A number: how fast it plays when it plays; MPRIS has no such property.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// A number of `MPNowPlayingInfoMediaType`; the desktop does not ask for it.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// `URL`: where the sound comes from.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// `String`: names the item; another one is another item, even if it has the same title.
public let MPNowPlayingInfoPropertyExternalContentIdentifier = "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// `Bool`: it has no length and no position.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"

// Kept, and not shown.

/// A number: the items of the album; not shown.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// A number: the discs of the album; not shown.
public let MPMediaItemPropertyDiscCount = "discCount"
/// A number that names the item in a library; not shown.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// A number that names the album in a library; not shown.
public let MPMediaItemPropertyAlbumPersistentID = "albumPID"
/// A number that names the artist in a library; not shown.
public let MPMediaItemPropertyArtistPersistentID = "artistPID"
/// `Bool`: the item is not on this machine; not shown.
public let MPMediaItemPropertyIsCloudItem = "isCloudItem"
/// `Bool`: the item is not for children; not shown.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// `Bool`: the album has items of several artists; not shown.
public let MPMediaItemPropertyIsCompilation = "isCompilation"
/// `String`: the title of the podcast; not shown.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"
/// `String`: the words that are sung; not shown.
public let MPMediaItemPropertyLyrics = "lyrics"
/// `Date`: when the item appeared; not shown.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// A number: 0...5 stars; not shown.
public let MPMediaItemPropertyRating = "rating"
/// A number of `MPMediaType`: what kind of item it is; not shown.
public let MPMediaItemPropertyMediaType = "mediaType"
/// A number: where the item was left, in seconds; not shown.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"
/// `String`: what somebody noted of the item; not shown.
public let MPMediaItemPropertyComments = "comments"
/// A number: the tempo; not shown.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// `URL`: the file of the item in a library; not shown.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// `String`: names the collection that the item is of; not shown.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
/// A number: the place of the item in the queue, from 0; not shown.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// A number: the items of the queue; not shown.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// A number: the chapter that plays, from 0; not shown.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// A number: the chapters of the item; not shown.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// A number: 0...1, how much of the item has been played; not shown.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// `Date`: when a live stream was at its position; not shown.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// The languages of the item; not shown.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions = "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// The languages that play; not shown.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions = "MPNowPlayingInfoPropertyCurrentLanguageOptions"
/// `String`: names the service that the item is from; not shown.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// `String`: names the user of the service; not shown.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"

/// Kinds of items in a library, for `MPMediaItemPropertyMediaType`.
///
/// Source: SDK header MPMediaItem.h of MediaPlayer.
public struct MPMediaType: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A song.
    public static let music = MPMediaType(rawValue: 1)
    /// An episode of a podcast.
    public static let podcast = MPMediaType(rawValue: 2)
    /// A book that is read out.
    public static let audioBook = MPMediaType(rawValue: 4)
    /// A lecture of iTunes U.
    public static let audioITunesU = MPMediaType(rawValue: 8)
    /// Any kind of sound.
    public static let anyAudio = MPMediaType(rawValue: 0xFF)
}
