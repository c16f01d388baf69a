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
    private let port: AudioModel.Port?

    /// A port without type, name, uid and channels, for test doubles that override the getters.
    public override init() {
        type = AVAudioSession.Port(rawValue: "")
        name = ""
        identifier = ""
        channelDescriptions = nil
        port = nil
        super.init()
    }

    package init(_ port: AudioModel.Port) {
        self.port = port
        type = AVAudioSession.Port(port.kind)
        name = port.name
        identifier = port.uid
        channelDescriptions = port.channels.enumerated().map { index, label in
            AVAudioSessionChannelDescription(label, index: index, of: port)
        }
        super.init()
    }

    /// The kind of the port, decided from the words of the sound server about the device.
    open var portType: AVAudioSession.Port { type }

    /// The name of the port for the user.
    ///
    /// The text comes from the device and is not trusted.
    open var portName: String { name }

    /// Stable when the device is plugged in again and after restarts.
    open var uid: String { identifier }

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
