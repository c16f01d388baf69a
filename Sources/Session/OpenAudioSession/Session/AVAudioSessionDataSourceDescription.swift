internal import AudioModel
public import Foundation
internal import SessionCore
internal import SessionRuntime

/// A snapshot of one data source: a microphone, or an output, among those that one device switches between.
///
/// Two data sources are equal if their ids are equal.
///
/// `@unchecked Sendable`: constants only; a subclass (a test double) must not add mutable state.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 18.0).
open class AVAudioSessionDataSourceDescription: NSObject, @unchecked Sendable {
    let portUID: String
    private let name: String

    /// A data source without a port, for test doubles that override the getters.
    public override init() {
        portUID = ""
        name = ""
        super.init()
    }

    init(_ port: AudioModel.Port) {
        portUID = port.uid
        name = port.name
        super.init()
    }

    /// Stable when the device is plugged in again and after restarts.
    open var dataSourceID: NSNumber {
        NSNumber(value: portUID.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 })
    }

    /// The name of the data source for the user.
    ///
    /// The text comes from the device and is not trusted.
    open var dataSourceName: String { name }

    /// Nil: a sound card does not report where its ports are.
    open var location: AVAudioSession.Location? { nil }

    /// Where the microphone points, as far as the name of its route says so ("analog-input-front-mic").
    open var orientation: AVAudioSession.Orientation? {
        let words = (portUID.split(separator: "/").last ?? "").split { !$0.isLetter }
        return words.lazy.compactMap { AVAudioSession.Orientation(word: $0) }.first
    }

    /// Nil: no sound card lists polar patterns.
    open var supportedPolarPatterns: [AVAudioSession.PolarPattern]? { nil }

    /// Nil, as ``supportedPolarPatterns``.
    open var selectedPolarPattern: AVAudioSession.PolarPattern? { nil }

    /// Nil, as ``supportedPolarPatterns``.
    open var preferredPolarPattern: AVAudioSession.PolarPattern? { nil }

    /// Removes the preference; there are no patterns to prefer.
    ///
    /// - Throws: `badParam` for a pattern.
    open func setPreferredPolarPattern(_ pattern: AVAudioSession.PolarPattern?) throws {
        guard let pattern else { return }
        throw NSError(
            SessionError(
                .badParam,
                "The polar pattern \(pattern.rawValue) cannot be preferred: \"\(dataSourceName.printable)\" lists no patterns "
                    + "(supportedPolarPatterns is nil). Use nil."))
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioSessionDataSourceDescription)?.dataSourceID == dataSourceID
    }

    open override var hash: Int { dataSourceID.hash }

    open override var description: String {
        "<AVAudioSessionDataSourceDescription: \(address(of: self)), ID = \(dataSourceID); "
            + "name = \(dataSourceName.printable)>"
    }
}

extension AVAudioSession {
    /// Where a data source is on the device.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct Location: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// At the top of the device; never reported here.
        public static let upper = Location(rawValue: "Upper")
        /// At the bottom of the device; never reported here.
        public static let lower = Location(rawValue: "Lower")
    }

    /// Where a data source points.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct Orientation: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Points up.
        public static let top = Orientation(rawValue: "Top")
        /// Points down.
        public static let bottom = Orientation(rawValue: "Bottom")
        /// Points to the user.
        public static let front = Orientation(rawValue: "Front")
        /// Points away from the user; cards call it front or rear by the name of their route.
        public static let back = Orientation(rawValue: "Back")
        /// Points to the left.
        public static let left = Orientation(rawValue: "Left")
        /// Points to the right.
        public static let right = Orientation(rawValue: "Right")

        /// A word in the name of a card's route.
        fileprivate init?(word: Substring) {
            switch word.lowercased() {
            case "top": self = .top
            case "bottom": self = .bottom
            case "front": self = .front
            case "back", "rear": self = .back
            case "left": self = .left
            case "right": self = .right
            default: return nil
            }
        }
    }

    /// How a microphone's sensitivity depends on the direction.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct PolarPattern: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Equal in all directions; never reported here.
        public static let omnidirectional = PolarPattern(rawValue: "Omnidirectional")
        /// Most sensitive in front, least behind; never reported here.
        public static let cardioid = PolarPattern(rawValue: "Cardioid")
        /// Less directional than a cardioid; never reported here.
        public static let subcardioid = PolarPattern(rawValue: "Subcardioid")
        /// Two directions for stereo; never reported here.
        public static let stereo = PolarPattern(rawValue: "Stereo")
    }
}

// A sound card with several routes for one sink or source (front and rear microphone, speaker and headphones) has as many
// ports here, of which one is in use at a time. Each of them is a data source of the others. The class's rules for threads
// and errors hold here too.
extension AVAudioSession {
    /// The data sources of the input in use; nil if its card has no other.
    ///
    /// Observable.
    public var inputDataSources: [AVAudioSessionDataSourceDescription]? {
        runtime.state.route.inputs.first.flatMap { sources(of: $0) }
    }

    /// The selected data source of the input in use; nil if its card has no other.
    ///
    /// Observable.
    public var inputDataSource: AVAudioSessionDataSourceDescription? {
        runtime.state.route.inputs.first.flatMap { selectedSource(of: $0) }
    }

    /// Selects a data source of the input in use; nil removes the selection.
    ///
    /// The route changes to the port of the data source, as ``setPreferredInput(_:)`` does.
    ///
    /// - Throws: `badParam` for a data source that is not available now.
    public func setInputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        try select(dataSource, .input)
    }

    /// The data sources of the output in use; nil if its card has no other.
    ///
    /// Observable.
    public var outputDataSources: [AVAudioSessionDataSourceDescription]? {
        runtime.state.route.outputs.first.flatMap { sources(of: $0) }
    }

    /// The selected data source of the output in use; nil if its card has no other.
    public var outputDataSource: AVAudioSessionDataSourceDescription? {
        runtime.state.route.outputs.first.flatMap { selectedSource(of: $0) }
    }

    /// Selects a data source of the output in use; nil removes the selection.
    ///
    /// The route changes to the port of the data source.
    ///
    /// - Throws: `resourceNotAvailable` for a data source that is not available now.
    public func setOutputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        try select(dataSource, .output)
    }

    func select(_ dataSource: AVAudioSessionDataSourceDescription?, _ direction: PortDirection) throws {
        try perform { [uid = dataSource?.portUID] call, _ in
            switch direction {
            case .input: .inputPreferred(call, uid: uid)
            case .output: .outputChosenByApp(call, uid.map(OutputChoice.port(uid:)) ?? .automatic)
            }
        }
    }

    func sources(of port: AudioModel.Port) -> [AVAudioSessionDataSourceDescription]? {
        runtime.state.inventory.alternatives(to: port).map { $0.map(AVAudioSessionDataSourceDescription.init) }
    }

    func selectedSource(of port: AudioModel.Port) -> AVAudioSessionDataSourceDescription? {
        runtime.state.inventory.alternatives(to: port)?.first.map(AVAudioSessionDataSourceDescription.init)
    }

    func preferredSource(of port: AudioModel.Port) -> AVAudioSessionDataSourceDescription? {
        let state = runtime.state
        let preferred = port.direction == .input ? state.preferredInput : state.chosenOutput
        return state.inventory.alternatives(to: port)?.first { $0.uid == preferred?.uid }
            .map(AVAudioSessionDataSourceDescription.init)
    }
}

extension Inventory {
    /// The ports of the same sink or source in the order of their names, with this one; nil if there is no other.
    fileprivate func alternatives(to port: AudioModel.Port) -> [AudioModel.Port]? {
        alternatives.first { $0.contains(port.uid) }?.compactMap { self.port(uid: $0) }
    }
}
