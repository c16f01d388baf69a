internal import AudioModel
internal import BusObjects
internal import CPipeWireShims
internal import GuardCore
internal import SessionBus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// `org.openavfaudio.Focus1` on the user's bus: a program asks to hold or lower the others until it closes a file.
///
/// Rule: used on the bus's thread only, except `shutdown`. All texts are untrusted.
///
/// Source: ours (decision 0054).
final class FocusService: @unchecked Sendable {
    static let name = "org.openavfaudio.Focus1"
    static let path = "/org/openavfaudio/Focus1"
    /// The most holders at once, of all programs together.
    static let mostHolders = 64
    static let version: UInt32 = 2

    private unowned let bus: BusConnection
    private var rate: RequestRate
    private var holders: [FocusHolder] = []
    private var held: [HeldStream] = []
    private var primaryAudio: [PrimaryAudio] = []
    private var lastCookie: UInt32 = 0
    private var onEvent: @Sendable (GuardEvent) -> Void = { _ in }
    private var hangUps: HangUps?

    init(_ bus: BusConnection, rate: RequestRate) {
        self.bus = bus
        self.rate = rate
    }

    func start(onEvent: @escaping @Sendable (GuardEvent) -> Void) {
        self.onEvent = onEvent
        hangUps = HangUps { onEvent(.fact(.holderLeft(.bus(cookie: $0)))) }
        bus.export(
            BusObject(
                path: Self.path,
                interfaces: [
                    BusInterface(
                        name: Self.name,
                        methods: [
                            .init("Acquire", ["s", "a{sv}"], results: ["h", "u"]) { [weak self] in
                                self?.acquire(sender: $0, $1, reply: $2)
                            }
                        ],
                        properties: [
                            .init("Version", "u") { .uint32(Self.version) },
                            .init("Holders", "aa{sv}") { [weak self] in Self.list(self?.holders.map(Self.words) ?? [])
                            },
                            .init("PrimaryAudio", "aa{sv}") { [weak self] in
                                Self.list(self?.primaryAudio.map(Self.words) ?? [])
                            },
                            .init("Held", "aa{sv}") { [weak self] in Self.list(self?.held.map(Self.words) ?? []) },
                        ],
                        signals: ["Acquired": ["a{sv}"], "Released": ["a{sv}"]])
                ]))
        bus.awaitName(Self.name) { [weak self] isOurs in
            if isOurs { self?.onEvent(.focusNameChanged(owner: nil)) } else { self?.nameOwner() }
        }
    }

    /// Reports who owns the name of the service.
    private func nameOwner() {
        bus.call(.bus("GetNameOwner", [.string(Self.name)])) { [weak self] result in
            // On an error, the owner has left meanwhile, and the name is ours.
            guard let owner = (try? result.get())?.first?.string else { return }
            self?.bus.getProcess(of: owner) { [weak self] process in
                let name = process.flatMap(ProcessTree.name)?.capped ?? "an unknown program"
                let number = process.map { " (process \($0))" } ?? ""
                self?.onEvent(.focusNameChanged(owner: name + number))
            }
        }
    }

    /// Runs on any thread except the bus's, after the bus has ended.
    func shutdown() { hangUps?.shutdown() }

    // MARK: The guard's side

    func show(_ new: [FocusHolder]) {
        let old = holders
        holders = new
        for holder in new where !old.contains(where: { $0.id == holder.id }) {
            bus.emit(path: Self.path, interface: Self.name, member: "Acquired", [.properties(Self.words(holder))])
        }
        for holder in old where !new.contains(where: { $0.id == holder.id }) {
            bus.emit(path: Self.path, interface: Self.name, member: "Released", [.properties(Self.words(holder))])
        }
        bus.emitPropertiesChanged(
            path: Self.path, interface: Self.name, ["Holders": Self.list(new.map(Self.words))])
    }

    func show(_ new: [HeldStream]) {
        held = new
        bus.emitPropertiesChanged(path: Self.path, interface: Self.name, ["Held": Self.list(new.map(Self.words))])
    }

    func show(_ new: [PrimaryAudio]) {
        primaryAudio = new
        bus.emitPropertiesChanged(
            path: Self.path, interface: Self.name, ["PrimaryAudio": Self.list(new.map(Self.words))])
    }

    // MARK: The bus' side

    private func acquire(
        sender: String, _ arguments: [BusValue], reply: @escaping BusInterface.Method.Reply
    ) {
        let request: FocusRequest
        do throws(BusError) {
            request = try FocusRequest(kind: arguments[0].string ?? "", options: arguments[1].properties ?? [:])
        } catch {
            return reply(.failure(error))
        }
        bus.getProcess(of: sender) { [weak self] process in
            guard let self else { return }
            reply(grant(request, to: sender, process))
        }
    }

    private func grant(
        _ request: FocusRequest, to sender: String, _ process: UInt32?
    ) -> Result<[BusValue], BusError> {
        if let milliseconds = rate.millisecondsToWait(process, sender) {
            return .failure(
                .limitsExceeded(
                    "this program asks for the focus too often: \(rate.burst) times at once and then "
                        + "\(Int(rate.perSecond)) times a second is the most. Ask again in "
                        + "\(milliseconds) ms, and keep one file open as long as the others are to hold"))
        }
        let count = holders.count { if case .bus = $0.id { true } else { false } }
        guard count < Self.mostHolders else {
            return .failure(
                .limitsExceeded(
                    "\(count) programs hold the focus, which is the most; close the files of those that are done"))
        }
        lastCookie += 1
        let cookie = lastCookie
        // The remaining descriptors are reserved for the server's messages.
        guard !oav_pw_lacks_descriptors(), let end = hangUps?.makePipe(cookie) else {
            return .failure(
                .limitsExceeded("the guard has too many files open; raise its limit (LimitNOFILE= in its unit)"))
        }
        let name = process.flatMap(ProcessTree.name)?.capped ?? sender
        let program = Program(
            identity: process.map { .process($0) } ?? .client(.max), name: name,
            binary: process.flatMap(ProcessTree.binary))
        var holder = request.holder(.bus(cookie: cookie), of: program)
        holder.since = .monotonic
        onEvent(.fact(.holderChanged(holder)))
        return .success([.descriptor(BusDescriptor(owning: end)), .uint32(cookie)])
    }

    // MARK: Words

    private static func list(_ elements: [[String: BusValue]]) -> BusValue {
        .array(of: "a{sv}", elements.map { .properties($0) })
    }

    private static func words(_ holder: FocusHolder) -> [String: BusValue] {
        var words: [String: BusValue] = [
            "kind": .string(FocusRequest.word(holder.kind)), "program": .string(holder.program.name.printable),
            "since": .uint64(WallClock.microseconds(of: holder.since)),
        ]
        words["pid"] = holder.program.processID.map { .uint32($0) }
        words["decibels"] = holder.decibels.map { .double($0) }
        words["reason"] = holder.reason.map { .string($0.printable) }
        if case .bus(let cookie) = holder.id { words["cookie"] = .uint32(cookie) }
        return words
    }

    private static func words(_ audio: PrimaryAudio) -> [String: BusValue] {
        var words: [String: BusValue] = [
            "program": .string(audio.program.name.capped.printable),
            "since": .uint64(WallClock.microseconds(of: audio.since)),
        ]
        words["pid"] = audio.program.processID.map { .uint32($0) }
        words["app"] = audio.program.binary.map { .string($0.capped.printable) }
        words["role"] = audio.role.map { .string($0.capped.printable) }
        return words
    }

    private static func words(_ stream: HeldStream) -> [String: BusValue] {
        var words: [String: BusValue] = [
            "program": .string(stream.program.printable), "seconds": .double(stream.seconds),
            "isForFocus": .bool(stream.reasons.allSatisfy(\.isFocus)),
        ]
        words["pid"] = stream.processID.map { .uint32($0) }
        return words
    }
}

extension BusError {
    static func limitsExceeded(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: message)
    }
}

extension RequestRate {
    /// By process, because a program may connect to the bus again and again.
    ///
    /// - Parameter sender: the connection of a program without a known process.
    /// - Returns: nil if the request is admitted.
    mutating func millisecondsToWait(_ process: UInt32?, _ sender: String) -> Int? {
        secondsToWait(process.map(String.init) ?? sender, at: .monotonic).map { Int(($0 * 1000).rounded(.up)) }
    }
}

extension FocusRequest {
    static let kinds = ["pause", "pause-speech", "duck"]

    static func word(_ kind: FocusHolder.Kind) -> String {
        switch kind {
        case .pause: kinds[0]
        case .pauseSpeech: kinds[1]
        case .duck: kinds[2]
        }
    }

    /// - Parameters:
    ///   - kind: the argument of `Acquire`; untrusted, as are the options.
    /// - Throws: an error with a sentence for the developer of the asking program.
    init(kind: String, options: [String: BusValue]) throws(BusError) {
        self.init()
        func fault(_ key: String, _ rule: String) -> BusError { .invalidArguments("the option \(key) \(rule)") }
        switch kind {
        case Self.kinds[0]: self.kind = .pause
        case Self.kinds[1]: self.kind = .pauseSpeech
        case Self.kinds[2]: self.kind = .duck(decibels: FocusHolder.standardDecibels)
        default:
            throw .invalidArguments(
                "the kind was '\(kind.capped.printable)'; use \(Self.kinds.map { "'\($0)'" }.joined(separator: ", "))")
        }
        for (key, value) in options.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "reason":
                guard let text = value.string else { throw fault(key, "must be a string") }
                reason = text.capped
            case "call":
                guard let isCall = value.bool else { throw fault(key, "must be a boolean") }
                self.isCall = isCall
            case "decibels":
                guard case .duck = self.kind else { throw fault(key, "belongs to the kind 'duck'") }
                guard let decibels = value.double, FocusHolder.decibelRange.contains(decibels) else {
                    throw fault(key, "must be a double from 1 to 60")
                }
                self.kind = .duck(decibels: decibels)
            case "only", "except":
                guard let names = value.strings, names.count <= Self.mostNames else {
                    throw fault(key, "must be an array of at most \(Self.mostNames) strings")
                }
                if key == "only" { only = names.map(\.capped) } else { except = names.map(\.capped) }
            default:
                throw fault(
                    key.capped.printable, "is unknown; use 'reason', 'decibels', 'call', 'only' or 'except'")
            }
        }
    }
}
