import AVFAudio

/// Plays on one of several devices: the code of an iOS app, with AVFAudio alone.
///
/// In category `multiRoute` the engine's output has the channels of all devices, one device after the other. The channel
/// map of the output says which of the sound's channels each of them gets: a device is chosen by a map that is -1 but for
/// that device's first two channels.
final class Player: Picker {
    private let session = AVAudioSession.sharedInstance()
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private var devices: [AudioDevice] = []
    /// Kept while the device is away, so that it is used again when it returns.
    private var chosen: AudioDevice?

    init(playing sound: Sound) throws {
        try session.setCategory(.multiRoute)
        try session.setActive(true)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: sound.format)
        sound.schedule(on: player)
        follow()
    }

    func start() throws {
        try engine.start()
        player.play()
    }

    // MARK: Choosing

    func select(_ device: AudioDevice) {
        chosen = device
        updateChannelMap()
    }

    func select(_ index: Int) { select(devices[index]) }

    func select(_ portType: AVAudioSession.Port) throws {
        guard let device = devices.first(where: { $0.portType == portType }) else {
            throw NoSuchDevice(wanted: portType.rawValue)
        }
        select(device)
    }

    /// The device in use: the first one while the chosen one is away.
    private var current: AudioDevice? { devices.first { $0 == chosen } ?? devices.first }

    var choices: [Choice] {
        devices.map {
            Choice(name: $0.name, portType: $0.portType, channelCount: $0.channelCount, isCurrent: $0 == current)
        }
    }

    // MARK: Following the route

    /// The order of the devices may change, and the output resets its map when its channels change.
    func follow() {
        devices = session.currentRoute.outputs.map(AudioDevice.init)
        updateChannelMap()
    }

    private func updateChannelMap() {
        guard let current, let index = devices.firstIndex(of: current) else { return }
        let offset = devices[..<index].reduce(0) { $0 + $1.channelCount }
        let total = devices.reduce(0) { $0 + $1.channelCount }
        var channelMap = [NSNumber](repeating: -1, count: total)
        for channel in 0..<min(2, current.channelCount) {
            channelMap[offset + channel] = NSNumber(value: channel)
        }
        engine.outputNode.auAudioUnit.channelMap = channelMap
    }
}
