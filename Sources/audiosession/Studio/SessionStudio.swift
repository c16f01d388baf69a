import AudioDeviceSelection
import AudioFiles
import AudioModel
import AudioRuntime
import Foundation
import HostInterface
import HostPipeWire
import HostSimulated
import OpenAVFAudio
import SessionCore
import Synchronization

/// A studio on the program's `AVAudioSession`.
///
/// It hears of route changes as any app does, through `NotificationCenter`.
final class SessionStudio: Studio {
    private let session: AVAudioSession
    private let tokens = Mutex<[ObservationToken]>([])
    let phone: (any SimulatedPhone)?

    /// `@unchecked`: the token is never read, only handed back.
    private struct ObservationToken: @unchecked Sendable { var token: any NSObjectProtocol }

    init(session: AVAudioSession) {
        self.session = session
        phone = (session.runtime.host as? SimulatedHost).map { SessionPhone(host: $0, runtime: session.runtime) }
        // The demonstrations begin with the headphones in.
        phone?.plugHeadphones()
    }

    var hostName: String { session.runtime.host.kind.rawValue }
    var currentRoute: RouteFacts { RouteFacts(session.currentRoute) }

    var ports: PortInventory {
        let inventory = session.runtime.state.inventory
        let defaults = [inventory.defaultOutputUID, inventory.defaultInputUID]
        let pipeWire = session.runtime.host as? PipeWireHost
        return PortInventory(
            entries: inventory.ports.map { port in
                .init(
                    port: PortFacts(AVAudioSessionPortDescription(port)), isOutput: port.direction == .output,
                    isDefault: defaults.contains(port.uid), caveat: pipeWire?.promiseOff(portUID: port.uid))
            })
    }

    var outputs: OutputFacts {
        let devices = AudioDevices(session: session)
        return OutputFacts(
            all: devices.all.map(PortFacts.init), current: devices.current.map(PortFacts.init),
            choice: session.runtime.state.appChoice)
    }

    var isServerThere: Bool { session.runtime.state.isConnected }

    var interruption: InterruptionReason? {
        switch session.runtime.state.interruption?.source {
        case nil: nil
        case .routeDisconnected: .routeDisconnected
        case .peer, .foreignCall, .heldStream, .sleep, .claimLost: .default
        }
    }

    func activate() throws(StudioError) {
        do {
            try session.runtime.perform { call, _ in .activationRequested(call) }
        } catch {
            throw StudioError(error)
        }
    }

    func deactivate() {
        do {
            try session.runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: true) }
        } catch {
            // Without a server, which is the one reason to refuse this, nobody waits for the sound.
        }
    }

    func configure(_ configuration: SessionConfiguration) throws(StudioError) {
        do {
            try session.runtime.perform { call, _ in .configurationRequested(call, configuration) }
            // What the program itself has set up is no news to its user.
            session.runtime.settle()
        } catch {
            throw StudioError(error)
        }
    }

    func choose(_ choice: OutputChoice) throws(StudioError) {
        do {
            try session.runtime.perform { call, _ in .outputChosenByApp(call, choice) }
            // Before a run begins, the change of the route is no news to who asked for it.
            session.runtime.settle()
        } catch {
            throw StudioError(error)
        }
    }

    func observe(_ deliver: @escaping @Sendable (StudioEvent) -> Void) {
        let center = NotificationCenter.default
        let route = center.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [session] notification in
            guard let raw = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { return }
            // The route that this news is about: by now `currentRoute` may be that of the next.
            let current =
                NoticeQueue.delivered.map { AVAudioSessionRouteDescription($0.current) } ?? session.currentRoute
            deliver(
                .routeChanged(
                    reason: RouteChangeReason(rawValue: raw) ?? .unknown, previous: RouteFacts(previous),
                    current: RouteFacts(current)))
        }
        let inputs = center.addObserver(
            forName: AVAudioSession.availableInputsChangeNotification, object: session, queue: nil
        ) { [session] _ in
            deliver(.availableInputsChanged((session.availableInputs ?? []).map(PortFacts.init)))
        }
        let mainThreadNames = [
            AVAudioSession.interruptionNotification, AVAudioSession.silenceSecondaryAudioHintNotification,
            AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
        ]
        let others = mainThreadNames.map { name in
            center.addObserver(forName: name, object: session, queue: nil) { notification in
                if let event = StudioEvent(notification) { deliver(event) }
            }
        }
        let observed = ([route, inputs] + others).map(ObservationToken.init)
        tokens.withLock { $0 += observed }
    }

    func makePlayer(
        path: String, policy: StreamPolicy, role: String, volume: Float,
        onNews: @escaping @Sendable (PlayerNews) -> Void
    ) throws(StudioError) -> any Player {
        do {
            return try FilePlayer(
                path: path, runtime: session.runtime, policy: policy, role: role, volume: volume,
                onChange: { onNews(.status($0)) }, onChannelMapReset: { onNews(.channelMapReset($0)) })
        } catch let error as AudioFileError {
            throw StudioError(code: "\(error.kind)", message: error.message)
        } catch let error as SessionError {
            throw StudioError(error)
        } catch {
            throw StudioError(code: "unspecified", message: "\(path.printable) cannot be played: \(error)")
        }
    }

    func makeRecorder(
        path: String, onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(StudioError) -> any Recorder {
        do {
            return try FileRecorder(
                path: path, channelCount: max(1, currentRoute.inputs.first?.channels ?? 1), runtime: session.runtime,
                onChange: onChange)
        } catch let error as AudioFileWriteError {
            throw StudioError(code: "notWritable", message: error.message)
        } catch let error as SessionError {
            throw StudioError(error)
        } catch {
            throw StudioError(code: "notWritable", message: (error as NSError).localizedDescription)
        }
    }

    func close() {
        let observed = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in observed { NotificationCenter.default.removeObserver(token.token) }
        session.runtime.shutdown()
    }
}

extension PortFacts {
    init(_ port: AVAudioSessionPortDescription) {
        self.init(
            uid: port.uid, name: port.portName, portType: port.portType.rawValue, channels: port.channels?.count ?? 0)
    }
}

extension PortFacts {
    fileprivate init(_ device: AudioDevice) {
        self.init(
            uid: device.uid, name: device.name, portType: device.portType.rawValue, channels: device.channelCount)
    }
}

extension RouteFacts {
    fileprivate init(_ route: AVAudioSessionRouteDescription) {
        self.init(outputs: route.outputs.map(PortFacts.init), inputs: route.inputs.map(PortFacts.init))
    }
}

extension StudioEvent {
    /// What is posted on the main thread; nil where it lacks what the session promises.
    fileprivate init?(_ notification: Notification) {
        func value(_ key: String) -> UInt? { notification.userInfo?[key] as? UInt }
        switch notification.name {
        case AVAudioSession.interruptionNotification:
            if value(AVAudioSessionInterruptionTypeKey) == AVAudioSession.InterruptionType.began.rawValue {
                let reason = value(AVAudioSessionInterruptionReasonKey).flatMap(InterruptionReason.init(rawValue:))
                self = .interruptionBegan(reason: reason ?? .default)
            } else {
                let options = AVAudioSession.InterruptionOptions(
                    rawValue: value(AVAudioSessionInterruptionOptionKey) ?? 0)
                self = .interruptionEnded(shouldResume: options.contains(.shouldResume))
            }
        case AVAudioSession.silenceSecondaryAudioHintNotification:
            let begin = AVAudioSession.SilenceSecondaryAudioHintType.begin.rawValue
            self = .secondaryAudioHint(begins: value(AVAudioSessionSilenceSecondaryAudioHintTypeKey) == begin)
        case AVAudioSession.mediaServicesWereLostNotification: self = .mediaServicesLost
        case AVAudioSession.mediaServicesWereResetNotification: self = .mediaServicesReset
        default: return nil
        }
    }
}

extension StudioError {
    fileprivate init(_ error: SessionError) { self.init(code: "\(error.code)", message: error.message) }
}
