public import Foundation
import SessionBus
import Synchronization

/// What the user asks for on the desktop's media controls, with media keys or on a headset.
///
/// A command is offered once it has a handler, and `MPNowPlayingInfoCenter` shows an item. Handlers are called on the main
/// queue. Commands may be enabled and get handlers on any thread.
///
/// Source: Apple documentation (MPRemoteCommandCenter).
public final class MPRemoteCommandCenter: NSObject, Sendable {
    private static let center = MPRemoteCommandCenter(export: .shared)

    private let export: NowPlayingExport

    /// Starts to play.
    public let playCommand = MPRemoteCommand()
    /// Pauses.
    public let pauseCommand = MPRemoteCommand()
    /// Stops; where it has no handler, `pauseCommand` is asked.
    public let stopCommand = MPRemoteCommand()
    /// Pauses or plays; where it has no handler, `playCommand` or `pauseCommand` is asked.
    public let togglePlayPauseCommand = MPRemoteCommand()
    /// Goes to the next item.
    public let nextTrackCommand = MPRemoteCommand()
    /// Goes to the item before.
    public let previousTrackCommand = MPRemoteCommand()
    /// Goes forward by an interval.
    public let skipForwardCommand = MPSkipIntervalCommand()
    /// Goes backward by an interval.
    public let skipBackwardCommand = MPSkipIntervalCommand()
    /// Goes to a position; its event is an `MPChangePlaybackPositionCommandEvent`.
    public let changePlaybackPositionCommand = MPChangePlaybackPositionCommand()
    /// Changes the rate; its event is an `MPChangePlaybackRateCommandEvent`.
    public let changePlaybackRateCommand = MPChangePlaybackRateCommand()
    /// Changes what is repeated; its event is an `MPChangeRepeatModeCommandEvent`.
    public let changeRepeatModeCommand = MPChangeRepeatModeCommand()
    /// Changes the order of the items; its event is an `MPChangeShuffleModeCommandEvent`.
    public let changeShuffleModeCommand = MPChangeShuffleModeCommand()

    /// Inert: desktops do not ask for it.
    public let likeCommand = MPFeedbackCommand()
    /// Inert: desktops do not ask for it.
    public let dislikeCommand = MPFeedbackCommand()
    /// Inert: desktops do not ask for it.
    public let bookmarkCommand = MPFeedbackCommand()

    package init(export: NowPlayingExport) {
        self.export = export
        super.init()
        for (command, _) in commands { command.onChange { [weak self] in self?.update() } }
        export.setHandler { [weak self] request in self?.perform(request) }
    }

    /// The center of this process.
    public class func shared() -> MPRemoteCommandCenter { center }

    private var commands: [(MPRemoteCommand, RemoteAbility)] {
        [
            (playCommand, .play), (pauseCommand, .pause), (stopCommand, .stop), (togglePlayPauseCommand, .toggle),
            (nextTrackCommand, .next), (previousTrackCommand, .previous), (skipForwardCommand, .skip),
            (skipBackwardCommand, .skip), (changePlaybackPositionCommand, .position),
            (changePlaybackRateCommand, .rate), (changeRepeatModeCommand, .loop), (changeShuffleModeCommand, .shuffle),
        ]
    }

    private func update() {
        export.setCommands(
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
            let fallback = export.isPlaying ? pauseCommand : playCommand
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
