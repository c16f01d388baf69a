import AudioFiles
import AudioModel
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
        phone = (session.process.host as? SimulatedHost).map { SessionPhone(host: $0, process: session.process) }
        // The demonstrations begin with the headphones in.
        phone?.plugHeadphones()
    }

    var hostName: String { session.process.host.kind.rawValue }
    var currentRoute: RouteFacts { RouteFacts(session.currentRoute) }

    var ports: PortInventory {
        let inventory = session.process.state.inventory
        let defaults = [inventory.defaultOutputUID, inventory.defaultInputUID]
        let pipeWire = session.process.host as? PipeWireHost
        return PortInventory(
            entries: inventory.ports.map { port in
                .init(
                    port: PortFacts(AVAudioSessionPortDescription(port)), isOutput: port.direction == .output,
                    isDefault: defaults.contains(port.uid), caveat: pipeWire?.promiseOff(portUID: port.uid))
            })
    }

    var isServerThere: Bool { session.process.state.isConnected }

    var interruption: InterruptionReason? {
        switch session.process.state.interruption?.source {
        case nil: nil
        case .routeDisconnected: .routeDisconnected
        case .peer, .foreignCall, .heldStream, .sleep, .claimLost: .default
        }
    }

    func activate() throws(StudioError) {
        do {
            try session.process.perform { call, _ in .activationRequested(call) }
        } catch {
            throw StudioError(error)
        }
    }

    func deactivate() {
        do {
            try session.process.perform { call, _ in .deactivationRequested(call, notifyOthers: true) }
        } catch {
            // Without a server, which is the one reason to refuse this, nobody waits for the sound.
        }
    }

    func configure(_ configuration: SessionConfiguration) throws(StudioError) {
        do {
            try session.process.perform { call, _ in .configurationRequested(call, configuration) }
            // What the program itself has set up is no news to its user.
            session.process.settle()
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
                NotificationPoster.delivered.map { AVAudioSessionRouteDescription($0.current) } ?? session.currentRoute
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
        onChange: @escaping @Sendable (FilePlayer.Status) -> Void
    ) throws(StudioError) -> any Player {
        do {
            return try FilePlayer(
                path: path, process: session.process, policy: policy, role: role, volume: volume, onChange: onChange)
        } catch let error as AudioFileError {
            throw StudioError(code: "\(error.kind)", message: error.message)
        } catch let error as SessionError {
            throw StudioError(error)
        } catch {
            throw StudioError(code: "unspecified", message: "\(path.printable) cannot be played: \(error)")
        }
    }

    func close() {
        let observed = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in observed { NotificationCenter.default.removeObserver(token.token) }
        session.process.shutdown()
    }
}

/// The hand on the simulated machine.
private final class SessionPhone: SimulatedPhone {
    private struct State {
        var isInCall = false
        var otherApp: SimulatedHost?
    }

    private let host: SimulatedHost
    private let process: AudioProcess
    private let state = Mutex(State())

    init(host: SimulatedHost, process: AudioProcess) {
        self.host = host
        self.process = process
    }

    func plugHeadphones() {
        if !host.isPlugged(.wiredHeadphones) { host.plug(.wiredHeadphones) }
        process.settle()
    }

    func unplugHeadphones() {
        if host.isPlugged(.wiredHeadphones) { host.unplug(.wiredHeadphones) }
        process.settle()
    }

    func receiveCall() {
        if host.isServerRunning, changeCall(to: true) { host.receiveCall() }
        process.settle()
    }

    func endCall() {
        if changeCall(to: false) { host.endCall() }
        process.settle()
    }

    /// False where it is so already.
    private func changeCall(to isOn: Bool) -> Bool {
        state.withLock { state in
            defer { state.isInCall = isOn }
            return state.isInCall != isOn
        }
    }

    func startOtherApp() {
        guard host.isServerRunning, state.withLock({ $0.otherApp == nil }) else { return }
        let app = host.anotherApp(named: "Another app")
        state.withLock { $0.otherApp = app }
        // An app without a player takes the sound all the same.
        let claim = SessionClaim(id: ClaimID(number: 1), configuration: SessionConfiguration(category: .playback))
        do throws(HostError) {
            try app.start { _ in }
            app.claim(claim)
        } catch {
            state.withLock { $0.otherApp = nil }
        }
        process.settle()
    }

    func killOtherApp() {
        let app = state.withLock { state in
            defer { state.otherApp = nil }
            return state.otherApp
        }
        app?.kill()
        process.settle()
    }

    func crashServer() {
        guard host.isServerRunning else { return }
        // The telephone's sound and the other app die with it.
        state.withLock { ($0.isInCall, $0.otherApp) = (false, nil) }
        host.crashServer()
        process.settle()
    }

    func restartServer() {
        if !host.isServerRunning { host.restartServer() }
        process.settle()
    }

    func runInRealTime() { host.runInRealTime() }

    func advance(bySeconds seconds: Double) {
        process.settle()
        host.advance(seconds: seconds)
        process.settle()
    }

    var now: Double { host.now().seconds }

    var recordings: [PortRecording] {
        process.state.inventory.outputs.compactMap { port in
            guard let capture = host.portCapture(of: port.uid) else { return nil }
            let silence = [Float](repeating: 0, count: capture.startFrame)
            return PortRecording(
                port: PortFacts(AVAudioSessionPortDescription(port)), sampleRate: host.sampleRate,
                channels: capture.channels.map { silence + $0 })
        }
    }
}

extension PortFacts {
    fileprivate init(_ port: AVAudioSessionPortDescription) {
        self.init(
            uid: port.uid, name: port.portName, portType: port.portType.rawValue, channels: port.channels?.count ?? 0)
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
