internal import AudioModel
public import Foundation
internal import SessionCore
internal import SessionRuntime

// How the route renders. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// How the route renders sound: by the number of its output channels.
    public var renderingMode: RenderingMode { RenderingMode(runtime.state.route) }

    /// How a route renders sound.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 17.2).
    @nonexhaustive public enum RenderingMode: Int, Sendable {
        /// The route has no output.
        case notApplicable = 0
        /// One or two output channels.
        case monoStereo = 1
        /// More than two output channels.
        case surround = 2
        /// Never returned on Linux.
        case spatialAudio = 3
        /// Never returned on Linux.
        case dolbyAudio = 4
        /// Never returned on Linux.
        case dolbyAtmos = 5

        init(_ route: Route) {
            let channels = route.channelCount(.output)
            self = channels == 0 ? .notApplicable : channels > 2 ? .surround : .monoStereo
        }
    }

    /// ``renderingMode`` has changed; on the same thread as the route change, and after it.
    ///
    /// `userInfo`: ``AVAudioSessionRenderingModeNewRenderingModeKey``.
    public static let renderingModeChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingModeChangeNotification")

    /// Never posted: no route of Linux reports rendering capabilities.
    public static let renderingCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingCapabilitiesChangeNotification")

    /// Never posted: no route of Linux reports spatial audio.
    public static let spatialPlaybackCapabilitiesChangedNotification = NSNotification.Name(
        "AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification")

    /// Empty: iOS lists layouts only for cars and AirPlay.
    public var supportedOutputChannelLayouts: [AVAudioChannelLayout] { [] }

    /// Which output a user selected for playback.
    ///
    /// Source: Apple documentation, AVKit (iOS 13.0).
    @nonexhaustive public enum RouteSelection: Int, Sendable {
        /// Playback cannot start.
        case none = 0
        /// An output of this machine.
        case local = 1
        /// Never returned on Linux, which has no route picker for other machines.
        case external = 2
    }

    /// Whether playback may start, and where; does not wait.
    ///
    /// - Parameter completionHandler: called once, on the poster thread: true and `local` if the category has an output.
    @preconcurrency
    public func prepareRouteSelectionForPlayback(
        completionHandler: @escaping @Sendable (Bool, RouteSelection) -> Void
    ) {
        deliver { [self] in
            let hasOutput = !runtime.state.route.outputs.isEmpty
            completionHandler(hasOutput, hasOutput ? .local : .none)
        }
    }
}

/// Key of an `NSNumber`: the raw value of an `AVAudioSession.RenderingMode`.
public let AVAudioSessionRenderingModeNewRenderingModeKey: String = "AVAudioSessionRenderingModeNewRenderingModeKey"

/// Key of an `NSNumber` with a Bool; see `spatialPlaybackCapabilitiesChangedNotification`.
public let AVAudioSessionSpatialAudioEnabledKey: String = "AVAudioSessionSpatialAudioEnabledKey"
