import BusObjects
public import Foundation
import Synchronization

/// What the user asks for on the desktop's media controls, with media keys or on a headset.
///
/// A command is offered once it has a handler, and `MPNowPlayingInfoCenter` shows an item. Handlers are called on the main
/// queue. Commands may be enabled and get handlers on any thread.
///
/// Source: Apple documentation (MPRemoteCommandCenter).
open class MPRemoteCommandCenter: NSObject, @unchecked Sendable {
    // @unchecked: constants, and a Mutex; subclasses have to keep to that.
    private static let center = MPRemoteCommandCenter(export: .shared)

    private let place = Mutex<NowPlayingExport?>(nil)
    private let own = Commands()

    private struct Commands {
        let play = MPRemoteCommand()
        let pause = MPRemoteCommand()
        let stop = MPRemoteCommand()
        let togglePlayPause = MPRemoteCommand()
        let nextTrack = MPRemoteCommand()
        let previousTrack = MPRemoteCommand()
        let skipForward = MPSkipIntervalCommand()
        let skipBackward = MPSkipIntervalCommand()
        let position = MPChangePlaybackPositionCommand()
        let rate = MPChangePlaybackRateCommand()
        let repeatMode = MPChangeRepeatModeCommand()
        let shuffleMode = MPChangeShuffleModeCommand()
        let seekForward = MPRemoteCommand()
        let seekBackward = MPRemoteCommand()
        let rating = MPRatingCommand()
        let like = MPFeedbackCommand()
        let dislike = MPFeedbackCommand()
        let bookmark = MPFeedbackCommand()
        let enableLanguage = MPRemoteCommand()
        let disableLanguage = MPRemoteCommand()
    }

    /// Starts to play.
    open var playCommand: MPRemoteCommand { own.play }
    /// Pauses.
    open var pauseCommand: MPRemoteCommand { own.pause }
    /// Stops; where it has no handler, `pauseCommand` is asked.
    open var stopCommand: MPRemoteCommand { own.stop }
    /// Pauses or plays; where it has no handler, `playCommand` or `pauseCommand` is asked.
    open var togglePlayPauseCommand: MPRemoteCommand { own.togglePlayPause }
    /// Goes to the next item.
    open var nextTrackCommand: MPRemoteCommand { own.nextTrack }
    /// Goes to the item before.
    open var previousTrackCommand: MPRemoteCommand { own.previousTrack }
    /// Goes forward by an interval.
    open var skipForwardCommand: MPSkipIntervalCommand { own.skipForward }
    /// Goes backward by an interval.
    open var skipBackwardCommand: MPSkipIntervalCommand { own.skipBackward }
    /// Goes to a position; its event is an `MPChangePlaybackPositionCommandEvent`.
    open var changePlaybackPositionCommand: MPChangePlaybackPositionCommand { own.position }
    /// Changes the rate; its event is an `MPChangePlaybackRateCommandEvent`.
    open var changePlaybackRateCommand: MPChangePlaybackRateCommand { own.rate }
    /// Changes what is repeated; its event is an `MPChangeRepeatModeCommandEvent`.
    open var changeRepeatModeCommand: MPChangeRepeatModeCommand { own.repeatMode }
    /// Changes the order of the items; its event is an `MPChangeShuffleModeCommandEvent`.
    open var changeShuffleModeCommand: MPChangeShuffleModeCommand { own.shuffleMode }

    /// Inert: desktops do not ask for it.
    open var seekForwardCommand: MPRemoteCommand { own.seekForward }
    /// Inert: desktops do not ask for it.
    open var seekBackwardCommand: MPRemoteCommand { own.seekBackward }
    /// Inert: desktops do not ask for it.
    open var ratingCommand: MPRatingCommand { own.rating }
    /// Inert: desktops do not ask for it.
    open var likeCommand: MPFeedbackCommand { own.like }
    /// Inert: desktops do not ask for it.
    open var dislikeCommand: MPFeedbackCommand { own.dislike }
    /// Inert: desktops do not ask for it.
    open var bookmarkCommand: MPFeedbackCommand { own.bookmark }
    /// Inert: desktops do not ask for it.
    open var enableLanguageOptionCommand: MPRemoteCommand { own.enableLanguage }
    /// Inert: desktops do not ask for it.
    open var disableLanguageOptionCommand: MPRemoteCommand { own.disableLanguage }

    /// A center that no desktop shows: for a double of an app's tests.
    public override init() {}

    package convenience init(export: NowPlayingExport) {
        self.init()
        attach(to: export)
    }

    /// Is what the desktop's requests go to; nil: not any more.
    func attach(to export: NowPlayingExport?) {
        place.withLock { $0 = export }
        for (command, _) in commands { command.onChange { [weak self] in self?.update() } }
        export?.setHandler { [weak self] request in self?.perform(request) }
        update()
    }

    private var export: NowPlayingExport? { place.withLock { $0 } }

    /// The center of this process.
    open class func shared() -> MPRemoteCommandCenter { center }

    private var commands: [(MPRemoteCommand, RemoteAbility)] {
        [
            (playCommand, .play), (pauseCommand, .pause), (stopCommand, .stop), (togglePlayPauseCommand, .toggle),
            (nextTrackCommand, .next), (previousTrackCommand, .previous), (skipForwardCommand, .skip),
            (skipBackwardCommand, .skip), (changePlaybackPositionCommand, .position),
            (changePlaybackRateCommand, .rate), (changeRepeatModeCommand, .loop), (changeShuffleModeCommand, .shuffle),
        ]
    }

    private func update() {
        export?.setCommands(
            RemoteCommands(
                available: Set(commands.filter { $0.0.isAvailable }.map(\.1)),
                loop: Mpris.LoopStatus(changeRepeatModeCommand.currentRepeatType),
                isShuffled: changeShuffleModeCommand.currentShuffleType != .off))
    }

    /// The bus's thread.
    private func perform(_ request: RemoteRequest) {
        switch request {
        case .play: playCommand.send()
        case .pause: pauseCommand.send()
        case .stop: (stopCommand.isAvailable ? stopCommand : pauseCommand).send()
        case .togglePlayPause:
            let fallback = export?.isPlaying == true ? pauseCommand : playCommand
            (togglePlayPauseCommand.isAvailable ? togglePlayPauseCommand : fallback).send()
        case .next: nextTrackCommand.send()
        case .previous: previousTrackCommand.send()
        case .position(let seconds): seek(to: seconds)
        case .skip(let seconds): skip(by: seconds)
        case .rate(let rate):
            changePlaybackRateCommand.send { MPChangePlaybackRateCommandEvent($0, playbackRate: Float(rate)) }
        case .loop(let status):
            changeRepeatModeCommand.send { MPChangeRepeatModeCommandEvent($0, repeatType: MPRepeatType(status)) }
        case .shuffle(let isShuffled):
            changeShuffleModeCommand.send {
                MPChangeShuffleModeCommandEvent($0, shuffleType: isShuffled ? .items : .off)
            }
        }
    }

    private func seek(to seconds: Double) {
        changePlaybackPositionCommand.send { MPChangePlaybackPositionCommandEvent($0, positionTime: seconds) }
    }

    private func skip(by seconds: Double) {
        guard changePlaybackPositionCommand.isAvailable else {
            let command = seconds < 0 ? skipBackwardCommand : skipForwardCommand
            return command.send { MPSkipIntervalCommandEvent($0, interval: abs(seconds)) }
        }
        guard let export else { return }
        let target = export.position + seconds
        // MPRIS: beyond the end is the next item.
        if let duration = export.duration, target > duration { return nextTrackCommand.send() }
        seek(to: max(0, target))
    }
}

extension MPRepeatType {
    fileprivate init(_ status: Mpris.LoopStatus) {
        self =
            switch status {
            case .none: .off
            case .track: .one
            case .playlist: .all
            }
    }
}

extension Mpris.LoopStatus {
    fileprivate init(_ type: MPRepeatType) {
        self =
            switch type {
            case .off: .none
            case .one: .track
            case .all: .playlist
            }
    }
}
