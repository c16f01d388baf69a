import Foundation
public import OpenAudioSession
import Testing

// Apps adopt their own protocols with `extension AVAudioSession: Theirs {}`: that compiles only while names, labels,
// types and `throws` are exactly Apple's. This file is the check; the tests below only use what it declares.

private protocol SessionShape: AnyObject, Sendable {
    static func sharedInstance() -> AVAudioSession
    var availableCategories: [AVAudioSession.Category] { get }
    func setCategory(_ category: AVAudioSession.Category) throws
    func setCategory(_ category: AVAudioSession.Category, options: AVAudioSession.CategoryOptions) throws
    func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions) throws
    func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, policy: AVAudioSession.RouteSharingPolicy,
        options: AVAudioSession.CategoryOptions) throws
    var category: AVAudioSession.Category { get }
    var categoryOptions: AVAudioSession.CategoryOptions { get }
    var routeSharingPolicy: AVAudioSession.RouteSharingPolicy { get }
    var availableModes: [AVAudioSession.Mode] { get }
    func setMode(_ mode: AVAudioSession.Mode) throws
    var mode: AVAudioSession.Mode { get }
    func setActive(_ active: Bool, options: AVAudioSession.SetActiveOptions) throws
    var currentRoute: AVAudioSessionRouteDescription { get }
    var availableInputs: [AVAudioSessionPortDescription]? { get }
    func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws
    var preferredInput: AVAudioSessionPortDescription? { get }
    func overrideOutputAudioPort(_ portOverride: AVAudioSession.PortOverride) throws
    var sampleRate: Double { get }
    var inputNumberOfChannels: Int { get }
    var outputNumberOfChannels: Int { get }
    var maximumInputNumberOfChannels: Int { get }
    var maximumOutputNumberOfChannels: Int { get }
    func setPreferredInputNumberOfChannels(_ count: Int) throws
    var preferredInputNumberOfChannels: Int { get }
    func setPreferredOutputNumberOfChannels(_ count: Int) throws
    var preferredOutputNumberOfChannels: Int { get }
    func setPreferredIOBufferDuration(_ duration: TimeInterval) throws
    var preferredIOBufferDuration: TimeInterval { get }
    var ioBufferDuration: TimeInterval { get }
    func setPreferredSampleRate(_ sampleRate: Double) throws
    var preferredSampleRate: Double { get }
    func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws
    var allowHapticsAndSystemSoundsDuringRecording: Bool { get }
    func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws
    var prefersNoInterruptionsFromSystemAlerts: Bool { get }
    var outputVolume: Float { get }
    var recordPermission: AVAudioSession.RecordPermission { get }
    func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void)
    var outputLatency: TimeInterval { get }
    var isInputAvailable: Bool { get }
    func activate(
        options: AVAudioSessionActivationOptions, completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void)
    func activate(options: AVAudioSessionActivationOptions) async throws -> Bool
    func deactivate(
        options: AVAudioSessionDeactivationOptions, completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void)
    func deactivate(options: AVAudioSessionDeactivationOptions) async throws -> Bool
    func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws
    var prefersInterruptionOnRouteDisconnect: Bool { get }
    var isOtherAudioPlaying: Bool { get }
    var secondaryAudioShouldBeSilencedHint: Bool { get }
}

extension AVAudioSession: SessionShape {}

private protocol ApplicationShape: NSObject, Sendable {
    static var shared: AVAudioApplication { get }
    static func requestRecordPermission(completionHandler: @escaping @Sendable (Bool) -> Void)
    static func requestRecordPermission() async -> Bool
    var recordPermission: AVAudioApplication.recordPermission { get }
}

extension AVAudioApplication: ApplicationShape {}

private protocol PortShape: NSObject, Sendable {
    init()
    var portType: AVAudioSession.Port { get }
    var portName: String { get }
    var uid: String { get }
    var channels: [AVAudioSessionChannelDescription]? { get }
}

// Conformances that code in use declares itself: they must be free.
extension AVAudioSession.Category: CustomStringConvertible {
    public var description: String { "category \(rawValue)" }
}

extension AVAudioSession.Mode: CustomStringConvertible {
    public var description: String { "mode \(rawValue)" }
}

extension AVAudioSession.RouteChangeReason: Encodable {}

extension AVAudioSession.PortOverride: CustomStringConvertible {
    public var description: String { "override \(rawValue)" }
}

/// A test double as two large SDKs write them: own initialiser, overridden getters.
private final class PortDouble: AVAudioSessionPortDescription, @unchecked Sendable {
    private let type: AVAudioSession.Port

    init(_ type: AVAudioSession.Port) {
        self.type = type
        super.init()
    }

    override var portType: AVAudioSession.Port { type }
    override var portName: String { "Double" }
    override var uid: String { "double" }
    override var channels: [AVAudioSessionChannelDescription]? { [ChannelDouble()] }
}

private final class ChannelDouble: AVAudioSessionChannelDescription, @unchecked Sendable {
    override var channelName: String { "Double 1" }
    override var owningPortUID: String { "double" }
    override var channelNumber: Int { 1 }
    override var channelLabel: AudioChannelLabel { kAudioChannelLabel_Mono }
}

private final class RouteDouble: AVAudioSessionRouteDescription, @unchecked Sendable {
    override var inputs: [AVAudioSessionPortDescription] { [] }
    override var outputs: [AVAudioSessionPortDescription] { [PortDouble(.headphones)] }
}

@Suite struct SignatureTests {
    @Test func session_adoptsAnAppsProtocol() {
        let session: any SessionShape = AVAudioSession(runtime: unconnectedRuntime())
        #expect(session.category == .soloAmbient)
        #expect(session.mode == .default)
        #expect(session.categoryOptions == [])
        #expect(session.routeSharingPolicy == .default)
    }

    @Test func trailingOptions_mayBeLeftOut() {
        func forms(_ session: AVAudioSession) throws {
            try session.setCategory(.playback)
            try session.setCategory(.playback, options: .mixWithOthers)
            try session.setCategory(.playback, mode: .default)
            try session.setCategory(.playback, mode: .default, options: [.mixWithOthers, .duckOthers])
            try session.setCategory(.playback, mode: .default, policy: .longFormAudio)
            try session.setCategory(.playback, mode: .default, policy: .default, options: [])
            try session.setActive(true)
            try session.setActive(false, options: .notifyOthersOnDeactivation)
        }
        _ = forms
    }

    @Test func activation_isCalledInEveryForm() {
        func forms(_ session: AVAudioSession) async throws {
            session.activate { (_: Bool, _: (any Error)?) in }
            session.activate(options: []) { _, _ in }
            session.deactivate(options: .notifyOthersOnDeactivation) { _, _ in }
            session.deactivate(completionHandler: { _, _ in })
            // Unused results are no warning, as with what is imported from Objective-C.
            try await session.activate()
            try await session.deactivate()
            let _: Bool = try await session.activate(options: [])
            let _: Bool = try await session.deactivate(options: [.notifyOthersOnDeactivation])
        }
        _ = forms
    }

    @Test func messageIdentifiers_nameTheirMessages() {
        typealias Identifier = NotificationCenter.BaseMessageIdentifier
        let _: Identifier<AVAudioSession.DidBecomeActiveMessage> = .didBecomeActive
        let _: Identifier<AVAudioSession.DidBecomeInactiveMessage> = .didBecomeInactive
        let _: Identifier<AVAudioSession.ResumptionRecommendationMessage> = .resumptionRecommendation
    }

    @Test func descriptions_canBeSubclassedByTestDoubles() {
        let route = RouteDouble()
        #expect(route.outputs.map(\.portType) == [.headphones])
        #expect(route.outputs[0].channels?.map(\.channelNumber) == [1])
        #expect(route.outputs[0].channels?[0].channelLabel == kAudioChannelLabel_Mono)
        #expect(route == RouteDouble())
    }

    @Test func stringConstants_serveAsSetMembersAndKeys() {
        let modes: Set<AVAudioSession.Mode> = [.default, .voiceChat, .default]
        let names: [AVAudioSession.Category: Int] = [.playback: 1, .record: 2]
        #expect(modes.count == 2)
        #expect(names[AVAudioSession.Category(rawValue: "AVAudioSessionCategoryRecord")] == 2)
        #expect("\(AVAudioSession.Category.playback)" == "category AVAudioSessionCategoryPlayback")
    }

    @Test func reasons_canBeSwitchedOverWithUnknownDefault() {
        func name(_ reason: AVAudioSession.RouteChangeReason) -> String {
            switch reason {
            case .newDeviceAvailable: "new"
            case .oldDeviceUnavailable: "old"
            case .unknown, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory: "else"
            case .routeConfigurationChange: "configuration"
            }
        }
        #expect(name(.oldDeviceUnavailable) == "old")
    }
}
