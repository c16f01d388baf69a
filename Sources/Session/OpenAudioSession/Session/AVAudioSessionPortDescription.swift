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
    private let channelDescriptions: [AVAudioSessionChannelDescription]?
    private let port: AudioModel.Port?

    /// A port without type, name, uid and channels, for test doubles that override the getters.
    public override init() {
        channelDescriptions = nil
        port = nil
        super.init()
    }

    package init(_ port: AudioModel.Port) {
        self.port = port
        channelDescriptions = port.channels.enumerated().map { index, label in
            AVAudioSessionChannelDescription(label, index: index, of: port)
        }
        super.init()
    }

    /// The kind of the port, decided from the words of the sound server about the device.
    open var portType: AVAudioSession.Port { port.map { AVAudioSession.Port($0.kind) } ?? .init(rawValue: "") }

    /// The name of the port for the user.
    ///
    /// The text comes from the device and is not trusted.
    open var portName: String { port?.name ?? "" }

    /// Stable when the device is plugged in again and after restarts.
    open var uid: String { port?.uid ?? "" }

    /// The channels in the order of the device; nil only in a test double.
    open var channels: [AVAudioSessionChannelDescription]? { channelDescriptions }

    /// True for the hands-free profile, whose devices process the voice themselves.
    open var hasHardwareVoiceCallProcessing: Bool { portType == .bluetoothHFP }

    /// False: no route of Linux reports spatial audio.
    open var isSpatialAudioEnabled: Bool { false }

    /// What a Bluetooth microphone can do; nil for other ports.
    open var bluetoothMicrophoneExtension: AVAudioSessionPortExtensionBluetoothMicrophone? {
        guard port?.direction == .input, [.bluetoothHFP, .bluetoothLE].contains(portType) else { return nil }
        return AVAudioSessionPortExtensionBluetoothMicrophone()
    }

    /// The ports that its sink or source switches between, this one among them; nil if there is no other.
    ///
    /// Data sources are read from `AVAudioSession.sharedInstance()` at the time of the call.
    open var dataSources: [AVAudioSessionDataSourceDescription]? {
        port.flatMap { AVAudioSession.sharedInstance().sources(of: $0) }
    }

    /// The data source in use; nil if there is no other.
    open var selectedDataSource: AVAudioSessionDataSourceDescription? {
        port.flatMap { AVAudioSession.sharedInstance().selectedSource(of: $0) }
    }

    /// The app's choice among ``dataSources``; nil without one.
    open var preferredDataSource: AVAudioSessionDataSourceDescription? {
        port.flatMap { AVAudioSession.sharedInstance().preferredSource(of: $0) }
    }

    /// Selects one of ``dataSources``; nil removes the selection.
    ///
    /// The route changes to the port of the data source.
    ///
    /// - Throws: `badParam` for a data source that is not among ``dataSources``; the ``AVAudioSession/ErrorCode`` of the
    ///   session.
    open func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard let port, dataSource.map({ dataSources?.contains($0) == true }) ?? true else {
            let names = (dataSources ?? []).map(\.dataSourceName.printable)
            throw NSError(
                SessionError(
                    .badParam,
                    "The data source \"\(dataSource?.dataSourceName.printable ?? "nil")\" is not one of this port's. Available: "
                        + "\(names.isEmpty ? "none" : names.joined(separator: ", ")). Choose one of dataSources, or nil."
                ))
        }
        try AVAudioSession.sharedInstance().select(dataSource, port.direction)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return uid == other.uid && portType == other.portType
    }

    open override var hash: Int { combinedHash(uid, portType) }

    /// Like Apple's; control characters in names are replaced, because logs are shown on terminals.
    open override var description: String {
        "<AVAudioSessionPortDescription: \(address(of: self)), type = \(portType.rawValue); "
            + "name = \(portName.printable); UID = \(uid.printable); selectedDataSource = \(selectedDataSource?.dataSourceName.printable ?? "(null)")>"
    }
}

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

/// The position of a channel in the room, with Core Audio's numbers.
///
/// Source: SDK header CoreAudioBaseTypes.h; only the values that a port of this library can have.
public typealias AudioChannelLabel = UInt32

/// The device does not say where the channel is.
public let kAudioChannelLabel_Unknown: AudioChannelLabel = 0xFFFF_FFFF
/// Front left.
public let kAudioChannelLabel_Left: AudioChannelLabel = 1
/// Front right.
public let kAudioChannelLabel_Right: AudioChannelLabel = 2
/// Front centre.
public let kAudioChannelLabel_Center: AudioChannelLabel = 3
/// Low frequencies: the subwoofer.
public let kAudioChannelLabel_LFEScreen: AudioChannelLabel = 4
/// Left behind or beside the listener, in 5.1.
public let kAudioChannelLabel_LeftSurround: AudioChannelLabel = 5
/// Right behind or beside the listener, in 5.1.
public let kAudioChannelLabel_RightSurround: AudioChannelLabel = 6
/// Behind the listener.
public let kAudioChannelLabel_CenterSurround: AudioChannelLabel = 9
/// Rear left, in 7.1.
public let kAudioChannelLabel_RearSurroundLeft: AudioChannelLabel = 33
/// Rear right, in 7.1.
public let kAudioChannelLabel_RearSurroundRight: AudioChannelLabel = 34
/// The only channel of a mono device.
public let kAudioChannelLabel_Mono: AudioChannelLabel = 42
/// A channel without a position; its index is added in the lower 16 bits.
public let kAudioChannelLabel_Discrete_0: AudioChannelLabel = 1 << 16

extension AudioChannelLabel {
    package init(_ label: ChannelLabel) {
        self =
            switch label {
            case .mono: kAudioChannelLabel_Mono
            case .left: kAudioChannelLabel_Left
            case .right: kAudioChannelLabel_Right
            case .center: kAudioChannelLabel_Center
            case .lowFrequency: kAudioChannelLabel_LFEScreen
            case .rearLeft: kAudioChannelLabel_RearSurroundLeft
            case .rearRight: kAudioChannelLabel_RearSurroundRight
            case .sideLeft: kAudioChannelLabel_LeftSurround
            case .sideRight: kAudioChannelLabel_RightSurround
            case .rearCenter: kAudioChannelLabel_CenterSurround
            case .discrete(let index): kAudioChannelLabel_Discrete_0 | UInt32(truncatingIfNeeded: index) & 0xFFFF
            }
    }
}
