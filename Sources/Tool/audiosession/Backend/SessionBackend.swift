import AudioDeviceSelection
import AudioRuntime
import Foundation
import OpenAudioSession
import ProgramRuntime
import QueueRuntime
import SessionRest
import SessionRuntime
import Synchronization

/// The backend on the program's `AVAudioSession`.
///
/// - Parameter host: nil for the host in the environment, or PipeWire: a simulated one must be asked for (decision 31).
/// - Throws: `BackendError` if the host is not available, or a variable of the environment is invalid.
func makeBackend(host: AudioSessionHost?) throws(BackendError) -> any AudioBackend {
    let choice = host.flatMap { HostChoice(rawValue: $0.rawValue) }
    do {
        let selected = try SessionEnvironment().validSettings(host: choice).host ?? .pipeWire
        try AudioSessionHost.select(AudioSessionHost(rawValue: selected.rawValue) ?? .automatic)
    } catch let error as AudioSessionHostError {
        throw BackendError(
            .unreachable,
            "\(error) 'audiosession doctor' says what is missing; --host simulated needs no server and has no audio output."
        )
    } catch {
        throw BackendError(error, other: .session(.badParam))
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
        simulator = session.runtime.simulatedMachine
        // By hand, a first key can unplug headphones.
        simulator?.plugHeadphones()
    }

    var hostName: String { session.runtime.hostName }
    var currentRoute: RouteFacts { RouteFacts(session.currentRoute) }

    var ports: PortInventory {
        PortInventory(
            entries: session.runtime.ports.map { status in
                .init(
                    port: PortFacts(AVAudioSessionPortDescription(status.port)),
                    isOutput: status.port.direction == .output, isDefault: status.isDefault, caveat: status.caveat)
            })
    }

    var outputs: OutputFacts {
        OutputFacts(
            all: devices.all.map(PortFacts.init), current: devices.current.map(PortFacts.init), choice: devices.choice)
    }

    var isServerConnected: Bool { session.runtime.isServerConnected }
    var outputLosses: UInt64 { session.runtime.outputLosses }
    var lossReason: String? { session.runtime.lossReason }
    var lacksSessionManager: Bool { session.runtime.lacksSessionManager }

    var interruption: AVAudioSession.InterruptionReason? {
        session.runtime.interruptionReason.flatMap { AVAudioSession.InterruptionReason(rawValue: $0.rawValue) }
    }

    var isOtherAudioPlaying: Bool { session.isOtherAudioPlaying }
    var isInCall: Bool { session.runtime.isInCall }

    func activate() throws(BackendError) { try naming { try session.setActive(true) } }

    func deactivate() {
        // The session refuses this without a server only, and then there is no session to notify.
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    func configure(_ settings: SessionSettings) throws(BackendError) {
        try change { try session.setCategory(settings.category, mode: settings.mode, options: settings.options) }
    }

    func choose(_ choice: AudioDevices.Choice) throws(BackendError) {
        try change {
            switch choice {
            case .automatic: devices.selectAutomatic()
            case .device(let uid): try devices.select(uid: uid)
            case .portType(let type): try devices.select(portType: type)
            }
        }
    }

    func chooseInput(uid: String) throws(BackendError) {
        try change { try session.setPreferredInput(session.availableInputs?.first { $0.uid == uid }) }
    }

    private func change(_ body: () throws -> Void) throws(BackendError) {
        try naming(body)
        // The user does not need an event for what the program itself has set.
        session.runtime.drain()
    }

    /// - Parameter body: throws in `NSOSStatusErrorDomain`.
    private func naming(_ body: () throws -> Void) throws(BackendError) {
        do {
            try body()
        } catch {
            let code = AVAudioSession.ErrorCode(rawValue: (error as NSError).code) ?? .unspecified
            throw BackendError(code, libraryMessage: error.localizedDescription, lossReason: lossReason)
        }
    }

    func observe(_ deliver: @escaping @Sendable (BackendEvent) -> Void) {
        let names = [
            AVAudioSession.routeChangeNotification, AVAudioSession.availableInputsChangeNotification,
            AVAudioSession.interruptionNotification, AVAudioSession.silenceSecondaryAudioHintNotification,
            AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
        ]
        let observed = names.map { name in
            let token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
                [session] notification in
                let event = BackendEvent(notification, of: session, lossReason: session.runtime.lossReason)
                if let event { deliver(event) }
            }
            return ObservationToken(token: token)
        }
        tokens.withLock { $0 += observed }
    }

    var speedProblem: String? { FilePlayer.rateProblem }

    func makeQueue(onEvent: @escaping @Sendable (QueuePlayer.Event) -> Void) -> any ItemQueue {
        QueuePlayer(runtime: session.runtime, onEvent: onEvent, onTime: { _ in .infinity })
    }

    var inputs: [PortFacts] { (session.availableInputs ?? []).map(PortFacts.init) }

    func makeRecorder(
        path: String, format: RecordFormat, replaces: Bool,
        onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) throws(BackendError) -> any Recorder {
        do {
            return try FileRecorder(
                path: path, format: format.fileExtension, sampleRate: format.sampleRate,
                channelCount: format.channelCount ?? max(1, currentRoute.inputs.first?.channels ?? 1),
                naming: .atFirstFrame(replacing: replaces), runtime: session.runtime, onChange: onChange)
        } catch {
            throw BackendError(error, other: .program(.notWritable), lossReason: lossReason)
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
    /// nil if it lacks a value that the session documents.
    fileprivate init?(_ notification: Notification, of session: AVAudioSession, lossReason: String?) {
        func value(_ key: String) -> UInt? { notification.userInfo?[key] as? UInt }
        switch notification.name {
        case AVAudioSession.routeChangeNotification:
            guard let raw = value(AVAudioSessionRouteChangeReasonKey),
                let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { return nil }
            // The route of this notification: `currentRoute` may be that of the next one by now.
            let current =
                NoticeQueue.delivered.map { AVAudioSessionRouteDescription($0.current) } ?? session.currentRoute
            self = .routeChanged(
                reason: AVAudioSession.RouteChangeReason(rawValue: raw) ?? .unknown, previous: RouteFacts(previous),
                current: RouteFacts(current))
        case AVAudioSession.availableInputsChangeNotification:
            self = .availableInputsChanged((session.availableInputs ?? []).map(PortFacts.init))
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
        case AVAudioSession.mediaServicesWereLostNotification: self = .mediaServicesLost(reason: lossReason)
        case AVAudioSession.mediaServicesWereResetNotification: self = .mediaServicesReset
        default: return nil
        }
    }
}
