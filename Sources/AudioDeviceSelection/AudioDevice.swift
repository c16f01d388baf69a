internal import AudioModel
public import OpenAVFAudio

/// One output: headphones, a television, a sound card.
///
/// Two are equal when their uids are: the name and the channels of a device may change under it.
public struct AudioDevice: Identifiable, Hashable, Sendable {
    /// The same for the same device after re-plugging and restarts; `AVAudioSessionPortDescription.uid`.
    public let uid: String
    /// What a person calls the device.
    ///
    /// It comes from the device: untrusted text.
    public let name: String
    public let portType: AVAudioSession.Port
    public let channelCount: Int

    public var id: String { uid }

    public static func == (left: AudioDevice, right: AudioDevice) -> Bool { left.uid == right.uid }
    public func hash(into hasher: inout Hasher) { hasher.combine(uid) }

    init(_ port: AudioModel.Port) {
        uid = port.uid
        name = port.name
        portType = AVAudioSession.Port(port.kind)
        channelCount = port.channels.count
    }
}
