internal import AudioModel
import Foundation
internal import SessionCore
package import SessionRuntime
package import Synchronization
internal import Threading

/// The settings of an app's sound, its current route, and notifications about changes.
///
/// All members may be called on any thread. Setters wait for the session thread, which may wait for the sound server:
/// do not call `setActive` on a main thread that must not block. Getters read a snapshot and do not wait. Handlers of
/// the session's notifications may call the session.
///
/// Setters throw `NSError` in `NSOSStatusErrorDomain`; its code is an ``ErrorCode`` raw value, and its localised
/// description names the received value and the allowed values. A setter that throws has changed nothing.
///
/// The class is open like Apple's. A program has one session, ``sharedInstance()``; ``init()`` makes another object for it.
///
/// `@unchecked Sendable`: the stored properties are constants that are Sendable themselves; a subclass must not
/// add mutable state.
///
/// Source: Apple documentation, "AVAudioSession"; SDK header AVAudioSession.h (iOS 18.0, 27).
open class AVAudioSession: _ObservedByName, @unchecked Sendable {
    package let runtime: SessionRuntime
    let delegateBox: WeakBox<AnyObject>
    let observers: OnceMade<_KeyValueObservers>

    /// The session that `sharedInstance()` returns within the current task, for tests that run side by side.
    ///
    /// It reaches child tasks, `Task { }` and, through the poster, the handlers of this session's notifications, also those
    /// that are registered with a queue; it does not reach `Task.detached`, plain threads and other queues.
    @TaskLocal package static var taskSession: AVAudioSession?

    /// The session that `sharedInstance()` returns on every thread without a task's session, for tests that run alone.
    package static let processSession = Mutex<AVAudioSession?>(nil)
    package static var testSession: AVAudioSession? { taskSession ?? processSession.withLock { $0 } }

    /// Told that code has asked for the session where neither of the two is; for tests that run side by side.
    package struct StrayCalls: Sendable {
        let note: @Sendable () -> Void
        package init(note: @escaping @Sendable () -> Void) { self.note = note }
    }
    package static let strayCalls = Mutex<StrayCalls?>(nil)

    /// Makes the session of a process and becomes the `object` of its notifications.
    ///
    /// One session for each process.
    ///
    /// - Parameter stopWatch: of strict tests.
    package init(runtime: SessionRuntime, stopWatch: NotificationPoster.StopWatch? = nil) {
        self.runtime = runtime
        delegateBox = WeakBox()
        observers = OnceMade()
        super.init()
        runtime.notices.bind(to: NotificationPoster(self, stopWatch: stopWatch))
    }

    /// Makes another object for the session of `sharedInstance()`.
    ///
    /// It has the same settings, route and observed properties. The `object` of notifications is `sharedInstance()`.
    @available(*, deprecated, message: "there is one session; use AVAudioSession.sharedInstance()")
    public override init() {
        let shared = Self.sharedInstance()
        runtime = shared.runtime
        delegateBox = shared.delegateBox
        observers = shared.observers
        super.init()
    }

    /// The session of this program; the first call creates it and its connection to the sound server.
    ///
    /// ``AudioSessionHost`` selects the server. The first call may wait for the server to answer.
    open class func sharedInstance() -> AVAudioSession {
        if let testSession { return testSession }
        strayCalls.withLock { $0 }?.note()
        return SharedSession.ofProgram.session()
    }

    // MARK: Category, mode, options, policy

    /// The categories that are available now; without an input device, those that record are missing.
    open var availableCategories: [Category] {
        RoutePolicy.availableCategories(runtime.state.inventory).map(Category.init)
    }

    /// Sets the category and clears the options; the mode and the policy do not change.
    ///
    /// - Throws: `badParam` for an unknown category, or if the current mode is not allowed with it.
    open func setCategory(_ category: Category) throws {
        try setCategory(category, options: [])
    }

    /// Sets the category and the options; the mode and the policy do not change if they are allowed with them, and become
    /// `.default` otherwise.
    ///
    /// Rule: docs/behaviours.md, 86.
    ///
    /// - Throws: `badParam` for an unknown category, or an option that the category or the mode does not accept.
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        let category = try SessionCategory(category)
        let options = SessionOptions(rawValue: options.rawValue)
        try configure { $0 = ConfigurationRules.configuration($0, changedTo: category, options: options) }
    }

    /// Sets the category, the mode and the options; the policy does not change.
    ///
    /// - Throws: `badParam` for an unknown value or a combination that is not allowed.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        let category = try SessionCategory(category)
        let mode = try SessionMode(mode)
        try configure {
            $0.category = category
            $0.mode = mode
            $0.options = SessionOptions(rawValue: options.rawValue)
        }
    }

    /// Sets the category, the mode, the policy and the options at once.
    ///
    /// - Throws: `badParam` for an unknown value or a combination that is not allowed.
    open func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        let category = try SessionCategory(category)
        let mode = try SessionMode(mode)
        try configure {
            $0.category = category
            $0.mode = mode
            $0.policy = SessionPolicy(rawValue: policy.rawValue) ?? .default
            $0.options = SessionOptions(rawValue: options.rawValue)
        }
    }

    /// `.soloAmbient` until it is set.
    open var category: Category { Category(runtime.state.configuration.category) }

    /// The options that were set, with those that they, the category or the mode imply; empty until they are set.
    ///
    /// Rule: docs/behaviours.md, 87.
    open var categoryOptions: CategoryOptions {
        CategoryOptions(ConfigurationRules.readableOptions(of: runtime.state.configuration))
    }

    /// `.default` until it is set.
    open var routeSharingPolicy: RouteSharingPolicy {
        RouteSharingPolicy(rawValue: runtime.state.configuration.policy.rawValue) ?? .default
    }

    /// All modes; `setCategory` and ``setMode(_:)`` check whether a mode is allowed with a category.
    open var availableModes: [Mode] { SessionMode.allCases.map(Mode.init) }

    /// Sets the mode; nothing else changes.
    ///
    /// - Throws: `badParam` for an unknown mode, or one that is not allowed with the category.
    open func setMode(_ mode: Mode) throws {
        let mode = try SessionMode(mode)
        try configure { $0.mode = mode }
    }

    /// `.default` until it is set.
    open var mode: Mode { Mode(runtime.state.configuration.mode) }

    // MARK: Activation

    /// Activates or deactivates the session; waits for the answer.
    ///
    /// An activation interrupts the other active sessions, unless one side mixes. It is refused if one of them has a
    /// higher priority (a call). During an interruption, a granted activation ends the interruption without `ended`.
    ///
    /// A deactivation pauses all players, and does not throw for them, as since iOS 26; stop them first, as Apple recommends.
    /// Sessions that this one interrupted are notified that they may resume only with `notifyOthersOnDeactivation`. With `true`
    /// this option is ignored, as on iOS, because existing code passes it. Rules: docs/behaviours.md, 31, 32, 37 and 52.
    ///
    /// - Throws: the ``ErrorCode`` of the session or its server: `insufficientPriority` during a call,
    ///   `mediaServicesFailed` without a server.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if runtime.host.isStrict, MainThread.isCurrent { runtime.host.note(.activatedOnMainThread(active)) }
        if active { runtime.noteActivationRequest() }
        try perform(isDeactivation: !active) { call, _ in
            active
                ? .activationRequested(call)
                : .deactivationRequested(call, notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
        if !active, options.contains(.notifyOthersOnDeactivation) { runtime.waitForReleases() }
    }

    // MARK: Route

    /// The inputs and outputs in use now.
    ///
    /// A snapshot: it does not change afterwards.
    open var currentRoute: AVAudioSessionRouteDescription { AVAudioSessionRouteDescription(runtime.state.route) }

    /// The inputs that the category can use; empty for categories without input.
    open var availableInputs: [AVAudioSessionPortDescription]? {
        runtime.state.availableInputs.map(AVAudioSessionPortDescription.init)
    }

    /// Sets the preferred input; nil removes the preference.
    ///
    /// The route uses it while it is among ``availableInputs``, and again after it has returned. In `.playAndRecord`
    /// the output moves to a Bluetooth headset's HFP with its microphone, and away from it with another one. An
    /// override to the speaker has priority; it uses the built-in microphone. The reason of the route change is
    /// `override`; Apple does not document one. Set the category and the mode first. The loss of the sound server
    /// removes the preference.
    ///
    /// - Throws: `badParam` for a port that is not among `availableInputs` now.
    open func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        try perform { [uid = inPort?.uid] call, _ in .inputPreferred(call, uid: uid) }
    }

    /// The preferred input as it was when it was set, whether it is available or not; nil if none was set.
    open var preferredInput: AVAudioSessionPortDescription? {
        runtime.state.preferredInput.map(AVAudioSessionPortDescription.init)
    }

    /// Overrides the output with the built-in speaker, or removes the override.
    ///
    /// It ends when the route changes, when the session is interrupted or deactivated, and with another category or mode.
    /// Rules: docs/behaviours.md, 11, 12, 13 and 90.
    ///
    /// - Throws: `badParam` outside `.playAndRecord`; `resourceNotAvailable` for `.speaker` on a machine without one.
    open func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        try perform { call, _ in .outputOverrideRequested(call, portOverride == .speaker ? .speaker : .none) }
    }

    // MARK: Hardware values; read them again after each route change

    /// The rate of the route's hardware in hertz: of the first output, otherwise of the first input.
    ///
    /// 48 000 while there is no route or its rate is unknown. Source: PipeWire (pipewire.conf, `default.clock.rate`).
    open var sampleRate: Double {
        let route = runtime.state.route
        return (route.outputs + route.inputs).lazy.compactMap(\.sampleRate).first ?? 48_000
    }

    /// Whether the machine has an input, in every category.
    open var isInputAvailable: Bool { !runtime.state.inventory.inputs.isEmpty }

    /// Requests the present configuration with `change` applied to it.
    private func configure(_ change: @escaping @Sendable (inout SessionConfiguration) -> Void) throws {
        try perform { call, state in
            var configuration = state.configuration
            change(&configuration)
            return .configurationRequested(call, configuration)
        }
    }

    /// Waits for the session's answer.
    func perform(
        isDeactivation: Bool = false, _ makeFact: @escaping @Sendable (CallID, SessionState) -> SessionFact
    ) throws {
        defer { VirtualMachine.deliver(runtime.host) }
        do { try runtime.perform(isDeactivation: isDeactivation, makeFact) } catch { throw NSError(error) }
    }
}
