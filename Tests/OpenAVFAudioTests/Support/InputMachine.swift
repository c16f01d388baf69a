import Foundation
import HostSimulated

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A simulated machine whose microphones pick up a ramp: frame n is n / 65536, on the second channel -n / 65536.
final class InputMachine {
    private let machine: EngineMachine

    static let microphone = SimulatedDevice.builtInMic.uid
    static let speaker = SimulatedDevice.builtInSpeaker.uid

    var host: SimulatedHost { machine.host }
    var runtime: SessionRuntime { machine.runtime }
    var session: AVAudioSession { machine.session }

    init(
        category: AVAudioSession.Category? = nil, devices: [SimulatedDevice] = [.builtInSpeaker, .builtInMic]
    ) throws {
        machine = try EngineMachine(devices: devices)
        for uid in [Self.microphone, "simulated.usb-audio/input", "simulated.headset/input"] {
            host.setInput(of: uid) { frame, channel in Float(channel == 0 ? frame : -frame) / 65536 }
        }
        if let category { try session.setCategory(category) }
    }

    func engine() -> AVAudioEngine { machine.engine() }
    func advance(frames: Int) { machine.advance(frames: frames) }
    func heard(on uid: String, since frame: Int) -> [[Float]] { machine.heard(on: uid, since: frame) }

    func plug(_ device: SimulatedDevice) {
        host.plug(device)
        runtime.settle()
    }

    func unplug(_ device: SimulatedDevice) {
        host.unplug(device)
        runtime.settle()
    }

    func tap(_ node: AVAudioNode, frames: UInt32 = 4800, format: AVAudioFormat? = nil) -> History<HeardBuffer> {
        let history = History<HeardBuffer>()
        node.installTap(onBus: 0, bufferSize: frames, format: format) { buffer, time in
            history.append(HeardBuffer(buffer, time))
        }
        return history
    }
}

/// What one call of a tap said.
struct HeardBuffer: Sendable {
    var frames: Int
    var sampleTime: Int64
    var hostSeconds: Double
    /// Rate and channels.
    var format: [Double]
    var channels: [[Float]]
    var isMainThread: Bool

    init(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
        frames = Int(buffer.frameLength)
        sampleTime = time.sampleTime
        hostSeconds = AVAudioTime.seconds(forHostTime: time.hostTime)
        format = [buffer.format.sampleRate, Double(buffer.format.channelCount)]
        channels = buffer.floatChannelData == nil ? [] : buffer.channels
        isMainThread = Thread.isMainThread
    }
}

extension History<HeardBuffer> {
    /// Each channel's frames of all buffers, which must have the same channels.
    var samples: [[Float]] {
        let entries = entries
        return (entries.first?.channels ?? []).indices.map { channel in entries.flatMap { $0.channels[channel] } }
    }
}
