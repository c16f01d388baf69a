internal import AudioModel
internal import HostInterface
package import HostSimulated
package import SceneCore
internal import SimulatedControls
internal import Threading

/// Performs a scene on a simulated machine, in virtual time, and keeps what comes of it.
///
/// Its owner makes the session of the app under test on `host` with `recorder`, calls `begin`, and then for each step
/// `nextStep`, the app's own actions, and `finishStep`.
///
/// `@unchecked`: one task performs it, from `begin` to the last `nextStep`, and reads `history` after that. A caller that waits for a
/// slow server has a turn while no other thread has one; see `exclusively`.
package final class SceneStage: @unchecked Sendable {
    /// The peers' name of the app that has a call.
    static let phoneName = "Phone"
    /// The longest stretch of virtual time between two looks at what the outputs have played.
    private static let pieceSeconds = 1.0

    /// So long after an event, the cycles are short, so that what follows from it has its time.
    private static let unquietSeconds = 0.5
    /// A call that waits goes on at the end of a scene, too.
    private static let longestActivation = AudioScene.Time(seconds: 60)
    /// Frames: 10 ms.
    private static let shortCycle = 480
    /// Frames: 85 ms, which a server may have.
    private static let longCycle = 4096

    package let scene: AudioScene
    package let host: SimulatedHost
    package let recorder: SceneRecorder
    /// Reads what each output played, as it is played.
    package var onSound: SoundReader?
    /// Whether the app still works on what a cycle has caused, as on the end of a song: time waits for it.
    package var isBusy: () -> Bool = { false }
    /// What the app plays, for a scene that asks for positions.
    package var original: OriginalSound?
    private let devices: SceneDevices
    private let names: [String: String]
    /// Whether a thread touches the stage, and how many have begun to; see `exclusively`.
    private let turn = Monitor((isTaken: false, count: 0))
    /// What has not happened yet.
    private var steps: ArraySlice<(time: AudioScene.Time, actions: [AudioScene.Action])>
    /// The step that is in `entries` already.
    private var stepUnderWay: Int?
    private var entries: [SceneHistory.Entry] = []
    private var sounds: [String: OutputSound] = [:]
    private var apps: [String: SceneApp] = [:]
    private var programs: [String: UInt64] = [:]
    /// How many mistakes of the app are in `entries`.
    private var mistakeCount = 0
    /// How long each notification of the app takes its observers, in real time.
    package private(set) var observerSeconds = 0.0

    /// Gets the output's name, the frame of the scene of the first new sample, `[channel][frame]`, and where in them that is.
    package typealias SoundReader = (
        _ output: String, _ firstFrame: Int, _ channels: [[Float]], _ offset: Int
    ) -> Void

    /// Another app of the machine.
    private struct SceneApp {
        let host: SimulatedHost
        var claims = 0
    }

    /// - Parameter captureSeconds: how much of the past `host` keeps for other readers.
    package init(_ scene: AudioScene, captureSeconds: Double = 3) {
        self.scene = scene
        devices = SceneDevices(scene)
        names = devices.names
        host = SimulatedHost(scene.machine.simulated, captureSeconds: captureSeconds)
        recorder = SceneRecorder(names: names)
        var steps = scene.events.map { (time: $0.time, actions: $0.actions) }
        if let end = steps.firstIndex(where: { $0.actions.contains(.end) }) { steps.removeSubrange((end + 1)...) }
        self.steps = steps[...]
        host.setTimePasser { [weak self] isOver, settle in
            self?.exclusively(whileWaiting: true) { self?.pass(until: isOver, settle) }
        }
    }

    /// Runs `body` while no other thread touches the stage or moves its time; a caller that waits for a slow server has its turn while
    /// another one settles.
    private func exclusively<Result>(whileWaiting: Bool = false, _ body: () -> Result) -> Result {
        turn.wait(while: { whileWaiting ? $0.isTaken : $0.count > 0 }) { $0 = (true, $0.count + 1) }
        defer { turn.update { $0 = (false, $0.count - 1) } }
        return body()
    }

    /// Plugs in what the scene begins with.
    ///
    /// - Parameter settle: returns when the sessions of the machine have applied every event.
    package func begin(settle: () -> Void) {
        for name in scene.plugged {
            if let device = devices.device(name) { host.plug(device) }
        }
        settle()
        // What led to the start is no part of the scene.
        _ = recorder.takeEntries()
        entries = [.init(.zero, .startRoute(recorder.route))]
    }

    /// Advances to the next event and lets it happen.
    ///
    /// - Returns: what the app does now; nil at the end of the scene, to which time has advanced then.
    package func nextStep(settle: () -> Void) -> [AudioScene.Action]? { exclusively { takeStep(settle) } }

    private func takeStep(_ settle: () -> Void) -> [AudioScene.Action]? {
        guard let index = steps.indices.first else {
            advance(to: scene.duration, settle)
            return nil
        }
        advance(to: steps[index].time, settle)
        noteStep(index, steps[index].actions)
        stepUnderWay = index
        performMachine(index, settle)
        return steps.removeFirst().actions
    }

    /// What the machine does in a step, which then has what the app does left.
    private func performMachine(_ index: Int, _ settle: () -> Void) {
        let hardware = steps[index].actions.filter(\.isHardware)
        steps[index].actions.removeAll(where: \.isHardware)
        if !hardware.isEmpty {
            host.changeAtOnce { for action in hardware { perform(action) } }
            collect(settle)
        }
        // The sessions answer each before the next happens: else the order would be that of their threads.
        while steps.indices.contains(index), let next = steps[index].actions.firstIndex(where: { !$0.isOfApp }) {
            let action = steps[index].actions.remove(at: next)
            perform(action)
            collect(settle)
        }
    }

    private func noteStep(_ index: Int, _ actions: [AudioScene.Action]) {
        guard index != stepUnderWay, !actions.isEmpty else { return }
        let isLate = host.frame > steps[index].time.frame(atRate: Int(host.sampleRate))
        entries.append(.init(isLate ? now : steps[index].time, .event(actions)))
    }

    /// Time goes on by a piece while a call of the app waits for a slow server.
    ///
    /// The app's thread hangs: of the steps that are due, only what the machine does happens.
    private func pass(until isOver: () -> Bool, _ settle: () -> Void) {
        let next = steps.indices.first { steps[$0].actions.contains { !$0.isOfApp && $0 != .end } }
        let time = next.map { steps[$0].time } ?? now + AudioScene.Time(seconds: Self.pieceSeconds)
        if isOver() { return }
        advance(to: time, settle, until: isOver)
        guard let next, steps.indices.contains(next), !isOver(), host.frame >= time.frame(atRate: Int(host.sampleRate))
        else { return }
        noteStep(next, steps[next].actions.filter { !$0.isOfApp })
        performMachine(next, settle)
    }

    /// Keeps what the app's actions have caused.
    package func finishStep(settle: () -> Void) { exclusively { collect(settle) } }

    /// An action of the app failed.
    package func note(appFailure reason: String) { exclusively { entries.append(.init(now, .appFailed(reason))) } }

    /// Virtual time.
    package var now: AudioScene.Time {
        AudioScene.Time(microseconds: Int(clamping: host.now().nanoseconds / 1000))
    }

    package var history: SceneHistory {
        var sounds = sounds
        for port in host.inventory.outputs {
            let name = names[port.uid] ?? port.uid
            if sounds[name] == nil {
                sounds[name] = OutputSound(
                    name: name, rate: Int(host.sampleRate), channelCount: port.channels.count)
            }
        }
        return SceneHistory(
            scene: scene, duration: now, entries: entries + newMistakes,
            sounds: sounds.sorted { $0.key < $1.key }.map(\.value), objections: host.violations.map(SceneDevices.words))
    }

    // MARK: Time

    private func advance(to time: AudioScene.Time, _ settle: () -> Void, until isOver: () -> Bool = { false }) {
        let target = time.frame(atRate: Int(host.sampleRate))
        let piece = Int(Self.pieceSeconds * host.sampleRate)
        let calm = host.frame + Int(Self.unquietSeconds * host.sampleRate)
        while case let frame = host.frame, frame < target, !isOver() {
            // Each cycle costs the same, however long it is: an hour is mostly quiet.
            host.quantum = frame < calm ? Self.shortCycle : Self.longCycle
            let next = min(target, frame + piece, frame < calm ? calm : .max)
            host.advance(frames: next - frame, afterEvents: { collect(settle) }, isBusy: isBusy, until: isOver)
            collect(settle)
            readSounds()
        }
    }

    private func collect(_ settle: () -> Void) {
        turn.update { $0.isTaken = false }
        settle()
        turn.wait(while: \.isTaken) { $0.isTaken = true }
        let mistakes = newMistakes
        mistakeCount += mistakes.count
        entries += recorder.takeEntries() + mistakes
    }

    /// The app's mistakes that are not in `entries`.
    private var newMistakes: [SceneHistory.Entry] {
        host.mistakes.dropFirst(mistakeCount).map { mistake in
            .init(AudioScene.Time(seconds: Double(mistake.frame) / host.sampleRate), .mistake(mistake.text))
        }
    }

    private func readSounds() {
        host.readCaptures { uid, startFrame, channels, offset in
            let name = names[uid] ?? uid
            if sounds[name]?.channels.count != channels.count {
                // A port that returns with another number of channels starts again.
                sounds[name] = OutputSound(
                    name: name, rate: Int(host.sampleRate), channelCount: channels.count, original: original)
            }
            sounds[name]?.add(channels, offset: offset, from: startFrame)
            onSound?(name, startFrame, channels, offset)
        }
    }

    // MARK: Events

    private func perform(_ action: AudioScene.Action) {
        switch action {
        case .plug(let name): if let device = devices.device(name) { host.plug(device) }
        case .unplug(let name): if let device = devices.device(name) { host.unplug(device) }
        case .flap(let name, let times, let length): flap(name, times, in: length.seconds)
        case .jack(let name, let state):
            let availability: PortAvailability =
                switch state {
                case .full: .available
                case .empty: .unavailable
                case .unknown: .unknown
                }
            host.reportAvailability(of: devices.port(name), availability)
        case .defaultOutput(let name): host.setDefaultOutput(devices.port(name))
        case .defaultInput(let name): host.setDefaultInput(devices.input(name))
        case .noDefault: host.clearDefault()
        case .choose(let name): host.chooseOutput(name.map(devices.port))
        case .volume(let name, let percent, let isMuted):
            // A port that is not there is in the list of objections.
            try? host.setVolume(
                PortVolume(level: Float(percent / 100), isMuted: isMuted), ofPort: devices.port(name))
        case .rate(let name, let hertz): host.setSampleRate(of: devices.port(name), to: hertz)
        case .profile(let name, let isCall):
            host.useProfile(isCall ? .hfp : .a2dp, ofHeadset: devices.device(name)?.uid ?? name)
        case .callBegins:
            take(
                Self.phoneName, SessionConfiguration(category: .playAndRecord, mode: .voiceChat))
        case .callEnds(let mayResume): leave(Self.phoneName, notifiesOthers: mayResume)
        case .alarm(let time): host.playForeignSound(role: "Alarm", name: "Alarm", seconds: time.seconds)
        case .notification(let time):
            host.playForeignSound(role: "Notification", name: "Notification", seconds: time.seconds)
        case .programPlays(let name, let role):
            guard programs[name] == nil else { return object("the program \(name) plays already") }
            programs[name] = host.startForeignStream(role: role, name: name)
        case .programStops(let name):
            guard let id = programs.removeValue(forKey: name) else {
                return object("the program \(name) does not play")
            }
            host.stopForeignStream(id)
        case .programHeld(let name): hold(true, name)
        case .programReleased(let name): hold(false, name)
        case .appTakes(let name, let claim): take(name, claim.configuration)
        case .appWaits(let name):
            guard let app = apps[name] else { return object(Self.nothingTaken(by: name)) }
            app.host.suspend(ClaimID(number: UInt64(app.claims)))
        case .appLeaves(let name, let mayResume): leave(name, notifiesOthers: mayResume)
        case .appKilled(let name):
            guard let app = apps.removeValue(forKey: name) else { return object("the app \(name) does not run") }
            app.host.kill()
        case .sleep: host.sleep()
        case .wake: host.wakeUp()
        case .serverCrashes:
            apps = [:]
            programs = [:]
            host.crashServer()
        case .serverReturns: host.restartServer()
        case .stall(let time): host.stall(seconds: time.seconds)
        case .activationTakes(let time):
            guard time <= Self.longestActivation else {
                return object(
                    "an activation takes \(time.spelling); allowed are 0s to \(Self.longestActivation.spelling)")
            }
            host.setActivation(seconds: time.seconds)
        case .streamsHeld: host.holdStreams(true)
        case .streamsReleased: host.holdStreams(false)
        case .linksCut: host.cutAllLinks()
        case .streamsFail: host.failStreams(with: .refused("the scene ends the stream"))
        case .itemsOpen(let time): host.setOpening(seconds: time.seconds)
        case .itemsStall(let time): host.stallItems(seconds: time.seconds)
        case .eventsLate(let time): host.setDelivery { $0.delaySeconds = time.seconds }
        case .eventsTwice(let isOn): host.setDelivery { $0.isTwice = isOn }
        case .eventsReversed(let isOn): host.setDelivery { $0.isReversed = isOn }
        case .slowObservers(let time): observerSeconds = time.seconds
        case .play, .pause, .seek, .record, .stopRecording, .configure, .activate, .deactivate, .overrideOutput,
            .testLooks, .end:
            break
        }
    }

    private func object(_ text: String) { host.object(script: text) }

    private static func nothingTaken(by app: String) -> String { "the app \(app) has not taken the sound" }

    private func flap(_ name: String, _ times: Int, in seconds: Double) {
        guard let device = devices.device(name) else { return }
        let isPlugged = host.isPlugged(device)
        var scenario = Scenario()
        for index in 0..<(2 * times) {
            scenario = scenario.at(seconds * Double(index) / Double(2 * times)) { host in
                if (index % 2 == 0) == isPlugged { host.unplug(device) } else { host.plug(device) }
            }
        }
        host.schedule(scenario)
    }

    private func hold(_ isHeld: Bool, _ name: String) {
        guard let id = programs[name] else { return object("the program \(name) does not play") }
        host.setForeignStreamHeld(isHeld, id)
    }

    // MARK: Other apps

    private func take(_ name: String, _ configuration: SessionConfiguration) {
        guard host.isServerRunning else { return object("the app \(name) takes the sound while the server is down") }
        if apps[name] == nil {
            let app = host.anotherApp(named: name)
            do throws(HostError) {
                try app.start { _ in }
            } catch {
                return object("the app \(name) cannot start: \(error.message)")
            }
            apps[name] = SceneApp(host: app)
        }
        guard var app = apps[name] else { return }
        if app.claims > 0 { app.host.release(ClaimID(number: UInt64(app.claims)), notifyingOthers: false) }
        app.claims += 1
        apps[name] = app
        app.host.claim(SessionClaim(id: ClaimID(number: UInt64(app.claims)), configuration: configuration))
    }

    private func leave(_ name: String, notifiesOthers: Bool) {
        guard let app = apps.removeValue(forKey: name) else {
            return object(name == Self.phoneName ? "a call ends, but none is on" : Self.nothingTaken(by: name))
        }
        app.host.release(ClaimID(number: UInt64(app.claims)), notifyingOthers: notifiesOthers)
        app.host.shutdown()
    }
}

extension AudioScene.Machine {
    package var simulated: SimulatedMachine {
        switch self {
        case .phone: .phone
        case .laptop: .laptop
        case .desktop: .desktop
        case .speaker: .speaker
        case .bare: .bare
        }
    }
}

extension AudioScene.Action {
    /// What the app under test does itself.
    package var isOfApp: Bool {
        switch self {
        case .play, .pause, .seek, .record, .stopRecording, .configure, .activate, .deactivate, .overrideOutput,
            .testLooks:
            true
        default: false
        }
    }

    /// Those of one line are one change of the machine.
    var isHardware: Bool {
        switch self {
        case .plug, .unplug, .jack, .defaultOutput, .defaultInput, .noDefault, .volume, .rate: true
        default: false
        }
    }
}
