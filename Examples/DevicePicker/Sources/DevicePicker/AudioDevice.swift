import AVFAudio

/// One device of the session's route, with as many of the engine's output channels as it has itself.
struct AudioDevice: Equatable {
    let uid: String
    let name: String
    let portType: AVAudioSession.Port
    let channelCount: Int

    init(_ port: AVAudioSessionPortDescription) {
        uid = port.uid
        name = port.portName
        portType = port.portType
        channelCount = port.channels?.count ?? 0
    }

    /// A device stays the same when its name changes.
    static func == (left: AudioDevice, right: AudioDevice) -> Bool { left.uid == right.uid }
}
