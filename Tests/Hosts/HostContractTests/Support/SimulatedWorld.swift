import AudioModel
import HostSimulated
import SessionRest
import SimulatedControls
import Synchronization

@testable import SessionRuntime

/// The simulated machine as a world: time passes only in `run`, `level` and `untilHeard`.
final class SimulatedWorld: World {
    let app: App
    let host: SimulatedHost
    private let music: Music
    private let others = Mutex<[App]>([])
    private let markedFrame = Mutex(0)

    init() throws {
        music = try Music()
        host = SimulatedHost(.bare, appName: "app")
        app = try App(host: host, music: music)
    }

    var apps: [App] { [app] + others.withLock { $0 } }

    func device(_ device: WorldDevice) -> SimulatedDevice {
        switch device {
        case .speaker: .builtInSpeaker
        case .headphones: .wiredHeadphones
        case .bluetooth: .bluetoothA2DP
        case .usb: .usbHeadphones
        case .hdmi: .hdmi
        case .television: .output(uid: "simulated.television", name: "Television", kind: .hdmi)
        case .interface: .output(uid: "simulated.interface", name: "Audio Interface", kind: .usbAudio, channels: 4)
        case .monitor: .output(uid: "simulated.monitor", name: "Monitor", kind: .lineOut, channels: 1)
        case .microphone: .builtInMic
        case .headsetMicrophone:
            .input(uid: "simulated.headset-microphone", name: "Headset Microphone", kind: .headsetMic)
        case .handsFree:
            .output(uid: "simulated.hands-free", name: "Hands-Free", kind: .bluetoothHFP, channels: 1)
        case .handsFreeMicrophone:
            .input(uid: "simulated.hands-free-microphone", name: "Hands-Free", kind: .bluetoothHFP)
        }
    }

    /// Something happens on the machine, and every app deals with it.
    func happen(_ event: (SimulatedHost) -> Void) {
        event(host)
        settle()
    }

    func plug(_ device: WorldDevice) { happen { $0.plug(self.device(device)) } }
    func unplug(_ device: WorldDevice) { happen { $0.unplug(self.device(device)) } }
    func setDefaultOutput(_ device: WorldDevice) { happen { $0.setDefaultOutput(self.device(device).uid) } }
    func clearDefault() { happen { $0.clearDefault() } }
    func pullJack() { happen { $0.unplug(.headphonesInJack) } }

    func plugCardWithJack() {
        happen { host in
            host.plug(.cardWithJack)
            host.plug(.headphonesInJack)
        }
    }

    func plugHeadset() { happen { $0.plug(.bluetoothHeadset) } }

    func untilHeadset(is profile: Headset.Profile) throws {
        for _ in 0..<30 {
            run(seconds: 0.1)
            if host.inventory.headsets.map(\.profile) == [profile] { return }
        }
        throw NothingToHear()
    }

    func untilHeardOnHeadset() throws {
        let start = host.frame
        run(seconds: 0.2)
        for headset in host.inventory.headsets
        where host.loudFrames(of: headset.outputUID(of: headset.profile), since: start) > 0 { return }
        throw NothingToHear()
    }

    func changeSampleRate(to hertz: Double) throws {
        guard let uid = runtime.state.route.outputs.first?.uid else { throw NothingToHear() }
        happen { $0.setSampleRate(of: uid, to: hertz) }
    }

    func hold(_ hold: StreamHold) throws {
        let id = try musicID
        happen { $0.holdStream(id) }
    }

    func release(_ hold: StreamHold) throws {
        let id = try musicID
        happen { $0.releaseStream(id) }
    }

    private var musicID: StreamID {
        get throws {
            guard let stream = runtime.state.streams.first else { throw NothingToHear() }
            return stream.id
        }
    }

    // MARK: Other programs

    func launch(_ name: String, recorders: [any SessionRecorder]) throws -> App {
        let other = try App(host: host.anotherApp(named: name), music: music, recorders: recorders)
        others.withLock { $0.append(other) }
        return other
    }

    func kill(_ app: App) {
        (app.runtime.host as? SimulatedHost)?.kill()
        others.withLock { $0.removeAll { $0 === app } }
        settle()
        app.end()
    }

    func startForeignStream(role: String) -> UInt64 {
        defer { settle() }
        return host.startForeignStream(role: role, name: "program")
    }

    func startSilentForeignStream(role: String) -> UInt64 {
        defer { settle() }
        return host.startForeignStream(role: role, name: "program", isSilent: true)
    }

    func setForeignStreamSilent(_ isSilent: Bool, _ id: UInt64) {
        happen { $0.setForeignStreamSilent(isSilent, id) }
    }

    func setForeignStreamHeld(_ isHeld: Bool, _ id: UInt64) { happen { $0.setForeignStreamHeld(isHeld, id) } }

    func stopForeignStream(_ id: UInt64) { happen { $0.stopForeignStream(id) } }

    func crashServer() { happen { $0.crashServer() } }
    func restartServer(without absent: WorldDevice?) {
        if let absent { unplug(absent) }
        happen { $0.restartServer() }
    }

    // MARK: Time and sound

    func run(seconds: Double) {
        settle()
        host.advance(seconds: seconds) { settle() }
        settle()
    }

    func mark() { markedFrame.withLock { $0 = host.frame } }

    func loudFrames(on device: WorldDevice) -> Int {
        host.loudFrames(of: self.device(device).uid, since: markedFrame.withLock { $0 })
    }

    func untilHeard(on device: WorldDevice) throws {
        let start = host.frame
        for _ in 0..<100 {
            run(seconds: 0.01)
            for uid in [self.device(device).uid, "simulated.card/headphones"]
            where host.loudFrames(of: uid, since: start) > 0 { return }
        }
        throw NothingToHear()
    }

    func level(on device: WorldDevice) -> Float {
        run(seconds: 0.1)
        let start = host.frame
        run(seconds: 0.1)
        return host.capture(of: self.device(device).uid, since: start).joined().map(abs).max() ?? 0
    }

    func record(_ devices: [WorldDevice], frames: Int, during change: () throws -> Void) throws -> [[[Float]]] {
        settle()
        // What was heard before is copied with every look at it.
        host.clearCaptures()
        mark()
        try change()
        run(seconds: Double(frames) / 48_000)
        return devices.map { host.capture(of: self.device($0).uid) }
    }

    func samples(on device: WorldDevice) -> [[Float]] {
        run(seconds: 0.1)
        let start = host.frame
        run(seconds: 0.1)
        return host.capture(of: self.device(device).uid, since: start)
    }

    /// What one app does another may hear of and answer: until a round in which no app was told anything.
    func settle() {
        var told: Int
        repeat {
            told = host.deliveredCount
            for app in apps { app.runtime.drain() }
        } while host.deliveredCount != told
    }

    func end() {
        for app in apps { app.end() }
        precondition(host.violations.isEmpty, "the sessions broke the host's rules: \(host.violations)")
    }
}

struct NothingToHear: Error {}
