package import AudioModel
public import Foundation

/// A snapshot of one output or input of the machine.
///
/// Two ports are equal if type and uid are equal, so that a port can be found in another route even after its name or
/// its channels have changed. Apple compares identities. Here every access creates a new object, so only the contents
/// can be compared.
///
/// `@unchecked Sendable`: constants only; a subclass (a test double) must not add mutable state.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 18.0).
open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    private let type: AVAudioSession.Port
    private let name: String
    private let identifier: String
    private let channelDescriptions: [AVAudioSessionChannelDescription]?

    /// A port without type, name, uid and channels, for test doubles that override the getters.
    public override init() {
        type = AVAudioSession.Port(rawValue: "")
        name = ""
        identifier = ""
        channelDescriptions = nil
        super.init()
    }

    package init(_ port: AudioModel.Port) {
        type = AVAudioSession.Port(port.kind)
        name = port.name
        identifier = port.uid
        channelDescriptions = port.channels.enumerated().map { index, label in
            AVAudioSessionChannelDescription(label, index: index, of: port)
        }
        super.init()
    }

    open var portType: AVAudioSession.Port { type }

    /// The name of the port for the user.
    ///
    /// The text comes from the device and is not trusted.
    open var portName: String { name }

    /// Stable when the device is plugged in again and after restarts.
    open var uid: String { identifier }

    open var channels: [AVAudioSessionChannelDescription]? { channelDescriptions }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return uid == other.uid && portType == other.portType
    }

    open override var hash: Int { combinedHash(uid, portType) }

    /// Like Apple's; control characters in names are replaced, because logs are shown on terminals.
    open override var description: String {
        "<AVAudioSessionPortDescription: \(address(of: self)), type = \(portType.rawValue); "
            + "name = \(portName.printable); UID = \(uid.printable); selectedDataSource = (null)>"
    }
}
