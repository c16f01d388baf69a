package import AudioModel
public import Foundation

/// A snapshot of one channel of a port.
///
/// Two descriptions are equal if port, number and label are equal (Apple compares identities).
///
/// `@unchecked Sendable`: constants only; a subclass (a test double) must not add mutable state.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 18.0).
open class AVAudioSessionChannelDescription: NSObject, @unchecked Sendable {
    private let name: String
    private let portUID: String
    private let number: Int
    private let label: AudioChannelLabel

    /// A channel without a port, for test doubles that override the getters.
    public override init() {
        name = ""
        portUID = ""
        number = 0
        label = kAudioChannelLabel_Unknown
        super.init()
    }

    /// - Parameter index: counts from 0 within the port.
    package init(_ channel: ChannelLabel, index: Int, of port: AudioModel.Port) {
        name = "\(port.name) \(channel.name)"
        portUID = port.uid
        number = index + 1
        label = AudioChannelLabel(channel)
        super.init()
    }

    /// The name of the port and the position of the channel, as in "Headphones Left".
    ///
    /// Untrusted text.
    open var channelName: String { name }

    /// The `uid` of the port that the channel belongs to.
    open var owningPortUID: String { portUID }

    /// Counts from 1 within the port, as in Apple's audio queues.
    open var channelNumber: Int { number }

    /// The position of the channel in the room, such as ``kAudioChannelLabel_Left``.
    open var channelLabel: AudioChannelLabel { label }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionChannelDescription else { return false }
        return owningPortUID == other.owningPortUID && channelNumber == other.channelNumber
            && channelLabel == other.channelLabel
    }

    open override var hash: Int { combinedHash(owningPortUID, channelNumber, channelLabel) }

    open override var description: String {
        "<AVAudioSessionChannelDescription: \(address(of: self)), name = \(channelName.printable); "
            + "number = \(channelNumber); port UID = \(owningPortUID.printable); label = \(channelLabel) "
            + "(0x\(String(channelLabel, radix: 16)))>"
    }
}
