internal import AudioModel
package import AudioRuntime
public import Foundation
internal import SessionCore

/// What an app says about its sound, where that sound goes now, and the news when it goes elsewhere.
///
/// Every call may be made from any thread. Setters wait for the session thread, which may wait for the sound server:
/// keep `setActive` off a main thread that must not stall. Getters read a snapshot and wait for nobody. A handler of
/// one of the session's notifications may call back into the session.
///
/// Setters throw `NSError` in `NSOSStatusErrorDomain`; its code is an ``ErrorCode`` raw value, its localised
/// description names the value received and those allowed. When a setter throws, nothing has changed.
///
/// The class is open as Apple's is, but has no public initialiser: the only session is ``sharedInstance()``.
///
/// `@unchecked Sendable`: the only stored property is a constant `SessionRuntime`, which is Sendable itself; a subclass
/// (none outside this package) must not add mutable state.
///
/// Source: Apple documentation, "AVAudioSession"; SDK header AVAudioSession.h (iOS 18.0, 27).
open class AVAudioSession: NSObject, @unchecked Sendable {
    package let runtime: SessionRuntime

    /// The session that `sharedInstance()` returns within the current task, for tests that run side by side.
    ///
    /// It reaches child tasks, `Task { }` and, through the poster, the handlers of this session's notifications that are
    /// registered with `queue: nil`; it does not reach `Task.detached`, plain threads and other queues.
    @TaskLocal package static var taskSession: AVAudioSession?

    /// Makes the session of a process and becomes the `object` of its notifications.
    ///
    /// One session for each process.
    package init(runtime: SessionRuntime) {
        self.runtime = runtime
        super.init()
        runtime.notices.bind(to: NotificationPoster(self))
    }

    /// The session of this program; made, with its connection to the sound server, at the first call.
    ///
    /// Which server: see ``AudioSessionHost``. The first call may wait for the server to answer.
    open class func sharedInstance() -> AVAudioSession {
        taskSession ?? SharedSession.ofProgram.session()
    }

    // MARK: Category, mode, options, policy

    /// The categories that the machine can serve now: without an input device, those that record are missing.
    open var availableCategories: [Category] {
        RoutePolicy.availableCategories(runtime.state.inventory).map(Category.init)
    }

    /// Sets the category and clears the options; the mode and the policy stay.
    ///
    /// - Throws: `badParam` for an unknown category, or when the mode that stays does not go with it.
    open func setCategory(_ category: Category) throws {
        try setCategory(category, options: [])
    }

    /// Sets the category and the options; the mode and the policy stay.
    ///
    /// Whether Apple keeps the mode here is not documented; keeping it means that only what is named changes.
    ///
    /// - Throws: `badParam` for an unknown category, an option that the category does not take, or when the mode that
    ///   stays does not go with it.
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        let category = try SessionCategory(category)
        try configure {
            $0.category = category
            $0.options = SessionOptions(rawValue: options.rawValue)
        }
    }

    /// Sets the category, the mode and the options; the policy stays.
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

    /// Sets everything that an app can say about its sound at once.
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
            $0.policy = SessionPolicy(policy)
            $0.options = SessionOptions(rawValue: options.rawValue)
        }
    }

    /// `.soloAmbient` until it is set.
    open var category: Category { Category(runtime.state.configuration.category) }

    /// Empty until they are set.
    open var categoryOptions: CategoryOptions {
        CategoryOptions(rawValue: runtime.state.configuration.options.rawValue)
    }

    /// `.default` until it is set.
    open var routeSharingPolicy: RouteSharingPolicy { RouteSharingPolicy(runtime.state.configuration.policy) }

    /// Every mode; which of them go with a category is for `setCategory` and ``setMode(_:)`` to say.
    open var availableModes: [Mode] { SessionMode.allCases.map(Mode.init) }

    /// Sets the mode; everything else stays.
    ///
    /// - Throws: `badParam` for an unknown mode, or one that does not go with the category.
    open func setMode(_ mode: Mode) throws {
        let mode = try SessionMode(mode)
        try configure { $0.mode = mode }
    }

    /// `.default` until it is set.
    open var mode: Mode { Mode(runtime.state.configuration.mode) }

    // MARK: Activation

    /// Asks for the right to sound, or gives it back; waits for the answer.
    ///
    /// An activation interrupts the other sessions that are active, unless one side mixes; it is refused where one of
    /// them has a higher priority: a call. Under an interruption it takes over: the interruption is over, without an
    /// `ended`, when it is granted.
    ///
    /// A deactivation pauses what plays; stop it first, as Apple asks. Sessions that were interrupted by this one are
    /// told that they may go on only with `notifyOthersOnDeactivation`. That option means something only with `false`;
    /// with `true` it is ignored, as on iOS, since much code in use passes it there.
    ///
    /// - Throws: the ``ErrorCode`` that the session or its server answers with: `insufficientPriority` under a call,
    ///   `mediaServicesFailed` without a server.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active { runtime.noteActivationRequest() }
        try perform { call, _ in
            active
                ? .activationRequested(call)
                : .deactivationRequested(call, notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
    }

    // MARK: Route

    /// Where sound comes from and goes to now.
    ///
    /// A snapshot: it does not change afterwards.
    open var currentRoute: AVAudioSessionRouteDescription { AVAudioSessionRouteDescription(runtime.state.route) }

    /// The inputs that the category may use; empty for categories without input.
    open var availableInputs: [AVAudioSessionPortDescription]? {
        runtime.state.availableInputs.map(AVAudioSessionPortDescription.init)
    }

    /// Says which input the app would like; nil leaves it to the machine again.
    ///
    /// It is the route's input while it is among ``availableInputs``, and again when it has come back; the output stays.
    /// An override to the speaker, which takes the built-in microphone, goes before. The reason of the route change is
    /// `override`; Apple does not document one. Set category and mode first. The sound server's loss forgets it.
    ///
    /// - Throws: `badParam` for a port that is not among `availableInputs` now.
    open func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        try perform { [uid = inPort?.uid] call, _ in .inputPreferred(call, uid: uid) }
    }

    /// The input that was preferred last, as it was then, whether it is there or not; nil where none was.
    open var preferredInput: AVAudioSessionPortDescription? {
        runtime.state.preferredInput.map(AVAudioSessionPortDescription.init)
    }

    /// Sends output to the built-in speaker, or lifts that, until the next route change.
    ///
    /// - Throws: `badParam` outside `.playAndRecord`; `resourceNotAvailable` for `.speaker` where the machine has none.
    open func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        try perform { call, _ in .outputOverrideRequested(call, OutputOverride(portOverride)) }
    }

    // MARK: Hardware values; read them again after each route change

    /// The rate of the routed hardware, in hertz: the first output's, else the first input's.
    ///
    /// 48 000 while there is no route or its rate is not known yet.
    /// Source: PipeWire (pipewire.conf, `default.clock.rate`).
    open var sampleRate: Double {
        let route = runtime.state.route
        return (route.outputs + route.inputs).lazy.compactMap(\.sampleRate).first ?? 48_000
    }

    /// Whether the machine has an input at all, whatever the category.
    open var isInputAvailable: Bool { !runtime.state.inventory.inputs.isEmpty }

    /// Asks for the present configuration with `change` made to it.
    private func configure(_ change: @escaping @Sendable (inout SessionConfiguration) -> Void) throws {
        try perform { call, state in
            var configuration = state.configuration
            change(&configuration)
            return .configurationRequested(call, configuration)
        }
    }

    /// Waits for the session's answer.
    func perform(_ makeFact: @escaping @Sendable (CallID, SessionState) -> SessionFact) throws {
        do { try runtime.perform(makeFact) } catch { throw NSError(error) }
    }
}
