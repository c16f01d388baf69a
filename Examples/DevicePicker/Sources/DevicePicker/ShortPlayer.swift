import AVFAudio
import AudioDeviceSelection

/// The same with `AudioDevices`: the library has the list, the choice and the map; only the numbered lines are necessary.
final class ShortPlayer: Picker {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let devices = AudioDevices()  // 1

    init(playing sound: Sound) throws {
        try AVAudioSession.sharedInstance().setCategory(.multiRoute)
        try AVAudioSession.sharedInstance().setActive(true)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: sound.format)
        devices.steer(engine)  // 2
        sound.schedule(on: player)
    }

    func start() throws {
        try engine.start()
        player.play()
    }

    func select(_ index: Int) throws { try devices.select(devices.all[index]) }  // 3
    func select(_ portType: AVAudioSession.Port) throws { try devices.select(portType: portType) }  // 4

    var choices: [Choice] {
        // Until a device is chosen, the first one plays.
        let current = devices.choice == .automatic ? devices.all.first : devices.current.first  // 5
        return devices.all.map {
            Choice(name: $0.name, portType: $0.portType, channelCount: $0.channelCount, isCurrent: $0 == current)
        }
    }

    func follow() {}
}
