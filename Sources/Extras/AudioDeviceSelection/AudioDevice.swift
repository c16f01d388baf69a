internal import AudioModel
public import OpenAudioSession

/// One output: headphones, a television, a sound card.
///
/// Two devices are equal if their uids are equal: the name and the channels of a device may change.
public struct AudioDevice: Identifiable, Hashable, Sendable {
    /// Stable when the device is plugged in again and after restarts; `AVAudioSessionPortDescription.uid`.
    public let uid: String
    /// The device's name for the user.
    ///
    /// The text comes from the device and is not trusted.
    public let name: String
    /// The kind of the output, for an icon or for ``AudioDevices/select(portType:)``.
    public let portType: AVAudioSession.Port
    /// The number of channels of the output, at least 1.
    public let channelCount: Int

    /// The same as ``uid``.
    public var id: String { uid }

    /// Compares the uids only.
    public static func == (left: AudioDevice, right: AudioDevice) -> Bool { left.uid == right.uid }
    /// Hashes the uid only.
    public func hash(into hasher: inout Hasher) { hasher.combine(uid) }

    init(_ port: AudioModel.Port) {
        uid = port.uid
        name = port.name
        portType = AVAudioSession.Port(port.kind)
        channelCount = port.channels.count
    }
}
