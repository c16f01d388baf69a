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

/// The backend on the program's `AVAudioSession`.
///
/// - Parameter host: nil for the one in `AUDIOSESSION_HOST`, or automatic.
/// - Throws: `BackendError` if the host is not available.
func makeBackend(host: AudioSessionHost?) throws(BackendError) -> any AudioBackend {
    let environment = ProcessInfo.processInfo.environment
    let word = environment["AUDIOSESSION_HOST"] ?? ""
    guard let selected = host ?? (word.isEmpty ? .automatic : AudioSessionHost(rawValue: word)) else {
        throw BackendError(
            code: "noSuchHost",
            message: "AUDIOSESSION_HOST is '\(word.printable)'; set it to pipewire, simulated or auto, or use --host.")
    }
    // The library continues with its default table; a program can stop with an error.
    do {
        _ = try ForeignRoles(parsing: environment["AUDIOSESSION_ROLES"] ?? "")
    } catch {
        throw BackendError(code: "badParam", message: "AUDIOSESSION_ROLES: \(error.message)")
    }
    do {
        try AudioSessionHost.select(selected)
    } catch {
        throw BackendError(
            code: "unreachable",
            message: "\(error) Use --host simulated to continue without a sound server and without audio output.")
    }
    return SessionBackend(session: AVAudioSession.sharedInstance())
}

/// A backend on an `AVAudioSession`.
///
/// It receives route changes like any app, through `NotificationCenter`.
final class SessionBackend: AudioBackend {
    private let session: AVAudioSession
    private let devices: AudioDevices
    private let tokens = Mutex<[ObservationToken]>([])
    let simulator: (any SimulatorControls)?

    /// `@unchecked`: the token is never read, only handed back.
    private struct ObservationToken: @unchecked Sendable { var token: any NSObjectProtocol }

    init(session: AVAudioSession) {
        self.session = session
        devices = AudioDevices(session: session)
        simulator = (session.runtime.host as? SimulatedHost).map { Simulator(host: $0, runtime: session.runtime) }
        // The demos start with headphones plugged in.
        simulator?.plugHeadphones()
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
        OutputFacts(
            all: devices.all.map(PortFacts.init), current: devices.current.map(PortFacts.init), choice: devices.choice)
    }

    var isServerConnected: Bool { session.runtime.state.isConnected }

    var interruption: AVAudioSession.InterruptionReason? {
        switch session.runtime.state.interruption?.source {
        case nil: nil
        case .routeDisconnected: .routeDisconnected
        case .peer, .foreignCall, .heldStream, .sleep, .claimLost: .default
        }
    }

    func activate() throws(BackendError) {
        do { try session.setActive(true) } catch { throw BackendError(error) }
    }

    func deactivate() {
        // The session refuses this without a server only, and then there is no session to notify.
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    func configure(_ settings: SessionSettings) throws(BackendError) {
        do {
            try session.setCategory(settings.category, mode: settings.mode, options: settings.options)
        } catch {
            throw BackendError(error)
        }
        // The user does not need an event for what the program itself has set.
        session.runtime.settle()
    }

    func choose(_ choice: AudioDevices.Choice) throws(BackendError) {
        do {
            switch choice {
            case .automatic: devices.selectAutomatic()
            case .device(let uid): try devices.select(uid: uid)
            case .portType(let type): try devices.select(portType: type)
            }
        } catch {
            throw BackendError(error)
        }
        // As for `configure`.
        session.runtime.settle()
    }

    func observe(_ deliver: @escaping @Sendable (BackendEvent) -> Void) {
        let center = NotificationCenter.default
        let route = center.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [session] notification in
            guard let raw = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { return }
            // The route of this notification: `currentRoute` may be that of the next one by now.
            let current =
                NoticeQueue.delivered.map { AVAudioSessionRouteDescription($0.current) } ?? session.currentRoute
            deliver(
                .routeChanged(
                    reason: AVAudioSession.RouteChangeReason(rawValue: raw) ?? .unknown,
                    previous: RouteFacts(previous), current: RouteFacts(current)))
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
                if let event = BackendEvent(notification) { deliver(event) }
            }
        }
        let observed = ([route, inputs] + others).map(ObservationToken.init)
        tokens.withLock { $0 += observed }
    }

    func makePlayer(
        path: String, policy: StreamPolicy, role: String, volume: Float,
        onEvent: @escaping @Sendable (PlayerEvent) -> Void
    ) throws(BackendError) -> any Player {
        do {
            return try FilePlayer(
                path: path, runtime: session.runtime, policy: policy, role: role, volume: volume,
                onChange: { onEvent(.status($0)) }, onChannelMapReset: { onEvent(.channelMapReset($0)) })
        } catch let error as AudioFileError {
            throw BackendError(code: "\(error.kind)", message: error.message)
        } catch let error as SessionError {
            throw BackendError(code: "\(error.code)", message: error.message)
        } catch {
            throw BackendError(code: "unspecified", message: "\(path.printable) cannot be played: \(error)")
        }
    }

    func makeRecorder(
        path: String, onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(BackendError) -> any Recorder {
        do {
            return try FileRecorder(
                path: path, channelCount: max(1, currentRoute.inputs.first?.channels ?? 1), runtime: session.runtime,
                onChange: onChange)
        } catch let error as AudioFileWriteError {
            throw BackendError(code: "notWritable", message: error.message)
        } catch let error as SessionError {
            throw BackendError(code: "\(error.code)", message: error.message)
        } catch {
            throw BackendError(code: "notWritable", message: (error as NSError).localizedDescription)
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

extension BackendEvent {
    /// A notification that is posted on the main thread; nil if it lacks a value that the session documents.
    fileprivate init?(_ notification: Notification) {
        func value(_ key: String) -> UInt? { notification.userInfo?[key] as? UInt }
        switch notification.name {
        case AVAudioSession.interruptionNotification:
            if value(AVAudioSessionInterruptionTypeKey) == AVAudioSession.InterruptionType.began.rawValue {
                let reason = value(AVAudioSessionInterruptionReasonKey)
                    .flatMap(AVAudioSession.InterruptionReason.init(rawValue:))
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

extension BackendError {
    /// - Parameter error: an error of the session, in `NSOSStatusErrorDomain`.
    fileprivate init(_ error: any Error) {
        let error = error as NSError
        let code = AVAudioSession.ErrorCode(rawValue: error.code) ?? .unspecified
        self.init(code: "\(code)", message: error.localizedDescription)
    }
}
