import AudioModel
import HostSimulated
import Synchronization

@testable import OpenAVFAudio

/// The simulated machine as a world: time passes only in `run` and `untilHeard`.
final class SimulatedWorld: World {
    let process: AudioProcess
    let session: AVAudioSession
    let journal: Journal
    let music: Music
    private let host: SimulatedHost
    private let markedFrame = Mutex(0)

    init(journal: Journal) throws {
        self.journal = journal
        music = try Music()
        host = SimulatedHost(.bare)
        process = try AudioProcess(host: host, record: journal.record)
        session = AVAudioSession(process: process)
        journal.follow(process)
    }

    private func device(_ device: WorldDevice) -> SimulatedDevice {
        switch device {
        case .speaker: .builtInSpeaker
        case .headphones: .wiredHeadphones
        case .bluetooth: .bluetoothA2DP
        case .usb: .usbHeadphones
        case .hdmi: .hdmi
        case .microphone: .builtInMic
        case .headsetMicrophone:
            .input(uid: "simulated.headset-microphone", name: "Headset Microphone", kind: .headsetMic)
        }
    }

    func plug(_ device: WorldDevice) {
        host.plug(self.device(device))
        process.settle()
    }

    func unplug(_ device: WorldDevice) {
        host.unplug(self.device(device))
        process.settle()
    }

    func setDefaultOutput(_ device: WorldDevice) throws {
        host.setDefaultOutput(self.device(device).uid)
        process.settle()
    }

    func clearDefault() {
        host.clearDefault()
        process.settle()
    }

    func plugCardWithJack() {
        host.plug(.cardWithJack)
        host.plug(.headphonesInJack)
        process.settle()
    }

    func pullJack() {
        host.unplug(.headphonesInJack)
        process.settle()
    }

    func changeSampleRate(to hertz: Double) throws {
        guard let uid = process.state.route.outputs.first?.uid else { throw NothingToHear() }
        host.setSampleRate(of: uid, to: hertz)
        process.settle()
    }

    func holdMusic() throws {
        host.holdStream(try musicID)
        process.settle()
    }

    func releaseMusic() throws {
        host.releaseStream(try musicID)
        process.settle()
    }

    private var musicID: StreamID {
        get throws {
            guard let stream = process.state.streams.first else { throw NothingToHear() }
            return stream.id
        }
    }

    func run(seconds: Double) {
        process.settle()
        host.advance(seconds: seconds)
        process.settle()
    }

    func mark() { markedFrame.withLock { $0 = host.timelineFrame } }

    func loudFrames(on device: WorldDevice) -> Int {
        host.loudFrames(of: self.device(device).uid, since: markedFrame.withLock { $0 })
    }

    func untilHeard(on device: WorldDevice) throws {
        let start = host.timelineFrame
        for uid in [self.device(device).uid, "simulated.card/headphones"] {
            for _ in 0..<100 {
                run(seconds: 0.01)
                if host.loudFrames(of: uid, since: start) > 0 { return }
            }
        }
        throw NothingToHear()
    }

    func end() {
        process.shutdown()
        precondition(host.violations.isEmpty, "the session broke the host's rules: \(host.violations)")
    }
}

struct NothingToHear: Error {}

extension SimulatedHost {
    /// Now, in frames.
    fileprivate var timelineFrame: Int { Int((now().seconds * sampleRate).rounded()) }
}
