import AudioRuntime
import Foundation
import MediaPlayer
import OpenAVFoundation

/// What the desktop, media keys, a headset and playerctl are shown.
struct RemoteStatus: Hashable, Sendable {
    /// Untrusted text, like `artist`.
    var title: String
    var artist: String?
    var album: String?
    /// Names the item: another number is another item.
    var number: Int
    /// A path or an address.
    var path: String?
    /// Seconds; 0 if the file does not say.
    var duration: Double
    var position: Double
    var isPlaying: Bool
    var speed: Float
    /// 0...1.
    var volume: Float
    var canSkip: Bool
    var isLooping = false
    var isShuffled = false

    /// Whether another one says nothing new, so many seconds later.
    func follows(from other: RemoteStatus, after seconds: Double) -> Bool {
        let expected = other.position + (other.isPlaying ? seconds * Double(other.speed) : 0)
        var same = other
        same.position = position
        return same == self && abs(expected - position) < 1
    }
}

extension RemoteStatus {
    init(
        _ queue: PlayQueue, _ info: FilePlayer.Info, _ plan: PlayPlan, isPlaying: Bool, volume: Float, canSkip: Bool
    ) {
        let part = queue.part
        self.init(
            title: part?.title ?? info.title ?? queue.shortName, artist: part?.performer ?? info.artist,
            album: part?.album ?? info.tags.album, number: queue.itemNumber,
            path: queue.address, duration: queue.duration, position: queue.position, isPlaying: isPlaying,
            speed: plan.speed, volume: volume, canSkip: canSkip, isLooping: plan.rounds == nil,
            isShuffled: plan.isShuffled)
    }
}

/// The media controls of the desktop.
///
/// The command thread.
protocol RemoteControl: AnyObject {
    /// - Parameter status: nil shows nothing.
    func show(_ status: RemoteStatus?)
}

/// Shows them what has changed.
struct RemoteDisplay {
    let remote: any RemoteControl
    private var shown: (status: RemoteStatus?, time: Double) = (nil, 0)

    init(remote: any RemoteControl) { self.remote = remote }

    mutating func update(_ status: RemoteStatus?, at now: Double) {
        if let status, let old = shown.status, status.follows(from: old, after: now - shown.time) { return }
        guard status != nil || shown.status != nil else { return }
        shown = (status, now)
        remote.show(status)
    }
}

/// Those of the user's message bus; without one, nothing is shown.
final class DesktopControls: RemoteControl {
    private let deliver: @Sendable (PlayAction) -> Void
    private let commands = MPRemoteCommandCenter.shared()
    private let center = MPNowPlayingInfoCenter.default()
    /// Of the item that is shown.
    private var artwork: (number: Int, picture: MPMediaItemArtwork)?

    /// - Parameter deliver: called on the main thread, and for the volume on another one.
    init(deliver: @escaping @Sendable (PlayAction) -> Void) {
        self.deliver = deliver
        func offer(_ command: MPRemoteCommand, _ action: @escaping (MPRemoteCommandEvent) -> PlayAction?) {
            command.addTarget { event in
                guard let action = action(event) else { return .commandFailed }
                deliver(action)
                return .success
            }
        }
        offer(commands.playCommand) { _ in .play }
        offer(commands.pauseCommand) { _ in .pause }
        offer(commands.togglePlayPauseCommand) { _ in .togglePlayPause }
        offer(commands.nextTrackCommand) { _ in .next }
        offer(commands.previousTrackCommand) { _ in .previous }
        offer(commands.changePlaybackPositionCommand) {
            ($0 as? MPChangePlaybackPositionCommandEvent).map { .seek(.to($0.positionTime)) }
        }
        NowPlayingExport.shared.setDesktopEntry("audiosession")
        offer(commands.changeRepeatModeCommand) {
            ($0 as? MPChangeRepeatModeCommandEvent).map { .loop($0.repeatType != .off) }
        }
        offer(commands.changeShuffleModeCommand) {
            ($0 as? MPChangeShuffleModeCommandEvent).map { .shuffle($0.shuffleType != .off) }
        }
        offer(commands.changePlaybackRateCommand) {
            ($0 as? MPChangePlaybackRateCommandEvent).map { .setSpeed($0.playbackRate) }
        }
    }

    func show(_ status: RemoteStatus?) {
        commands.nextTrackCommand.isEnabled = status?.canSkip ?? false
        commands.changeRepeatModeCommand.currentRepeatType = status?.isLooping ?? false ? .all : .off
        commands.changeShuffleModeCommand.currentShuffleType = status?.isShuffled ?? false ? .items : .off
        guard let status else {
            center.nowPlayingInfo = nil
            artwork = nil
            return
        }
        NowPlayingExport.shared.setVolume(
            RemoteVolume(value: Double(status.volume)) { [deliver] in deliver(.setVolume(Float($0))) })
        var info: [String: Any] = [
            MPMediaItemPropertyTitle: status.title, MPNowPlayingInfoPropertyElapsedPlaybackTime: status.position,
            MPNowPlayingInfoPropertyPlaybackRate: Double(status.speed),
            MPNowPlayingInfoPropertyExternalContentIdentifier: String(status.number),
        ]
        info[MPMediaItemPropertyArtist] = status.artist
        info[MPMediaItemPropertyAlbumTitle] = status.album
        if status.duration > 0 { info[MPMediaItemPropertyPlaybackDuration] = status.duration }
        info[MPNowPlayingInfoPropertyAssetURL] = status.path.flatMap {
            MediaList.address(FilePath($0)).flatMap { URL(string: $0) } ?? URL(fileURLWithPath: $0)
        }
        info[MPMediaItemPropertyArtwork] = artwork(of: status)
        center.nowPlayingInfo = info
        center.playbackState = status.isPlaying ? .playing : .paused
    }

    /// The picture in a file's tags, else the one beside it; read where a desktop shows it.
    private func artwork(of status: RemoteStatus) -> MPMediaItemArtwork? {
        if let artwork, artwork.number == status.number { return artwork.picture }
        guard let path = status.path, MediaList.address(FilePath(path)) == nil else { return nil }
        let picture = MPMediaItemArtwork(boundsSize: .zero) { _ in
            AVURLAsset(url: URL(fileURLWithPath: path)).artworkData ?? FolderPicture.data(beside: path) ?? Data()
        }
        artwork = (status.number, picture)
        return picture
    }
}
