package import AudioModel
public import Foundation

/// One place where sound leaves or enters the machine: a snapshot.
///
/// Equal to another when type and uid are equal, so that a port is found again in another route even after its name or
/// its channels have changed. Apple compares identities; every access makes a new object, so that comparing contents
/// is the only comparison of use.
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

    /// What a person calls the port.
    ///
    /// It comes from the device: untrusted text.
    open var portName: String { name }

    /// The same for the same port after re-plugging and restarts.
    open var uid: String { identifier }

    open var channels: [AVAudioSessionChannelDescription]? { channelDescriptions }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return uid == other.uid && portType == other.portType
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(uid)
        hasher.combine(portType)
        return hasher.finalize()
    }

    /// As Apple prints it; control characters in names are replaced, since logs end up on terminals.
    open override var description: String {
        "<AVAudioSessionPortDescription: \(address(of: self)), type = \(portType.rawValue); "
            + "name = \(portName.printable); UID = \(uid.printable); selectedDataSource = (null)>"
    }
}
