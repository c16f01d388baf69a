import AVFoundation

/// One device of a route and the channels that are its own, as the article on device selection has it.
struct AudioDevice: Equatable {
    var name: String
    var port: AVAudioSession.Port
    var uid: String
    var channelsCount: Int

    static func == (a: AudioDevice, b: AudioDevice) -> Bool { a.uid == b.uid }
}

/// Sends a player to one device of several, by the channel map of the output.
///
/// The imports and the calls are those of an app for iOS, unchanged: a list of devices from the current route, the sum of
/// the channels before the chosen one as its offset, and a map of -1 but for the device's first two channels.
final class DevicePicker {
    private(set) var devices: [AudioDevice] = []
    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    private var selected: AudioDevice?

    init() {
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        updateDevices()
    }

    func updateDevices() {
        devices = AVAudioSession.sharedInstance().currentRoute.outputs.map { output in
            AudioDevice(
                name: output.portName, port: output.portType, uid: output.uid,
                channelsCount: output.channels?.count ?? 0)
        }
    }

    func select(_ device: AudioDevice) {
        selected = device
        applyChannelMap()
    }

    /// The first device of that type.
    func select(_ port: AVAudioSession.Port) {
        if let device = devices.first(where: { $0.port == port }) { select(device) }
    }

    func play(_ buffer: AVAudioPCMBuffer) throws {
        if !engine.isRunning { try engine.start() }
        applyChannelMap()
        player.scheduleBuffer(buffer, at: nil, options: .interrupts)
        player.play()
    }

    private func applyChannelMap() {
        guard let selected, let index = devices.firstIndex(of: selected) else { return }
        let startIndex = devices[..<index].reduce(0) { $0 + $1.channelsCount }
        let total = Int(engine.outputNode.outputFormat(forBus: 0).channelCount)
        var channelMap = [NSNumber](repeating: -1, count: total)
        channelMap[startIndex] = 0
        if selected.channelsCount > 1 { channelMap[startIndex + 1] = 1 }
        engine.outputNode.auAudioUnit.channelMap = channelMap
    }
}
