internal import AudioModel
internal import BusObjects
internal import GuardCore
internal import SessionBus

/// `org.openavfaudio.Guard1` on the user's bus: what the guard holds and watches, and what its user may ask of it.
///
/// Rule: used on the bus's thread only. All texts are untrusted.
///
/// Source: ours (decision 0100).
final class GuardService: @unchecked Sendable {
    static let name = "org.openavfaudio.Guard1"
    static let path = "/org/openavfaudio/Guard1"
    static let version: UInt32 = 1
    /// The longest time that the guard can be off, in microseconds.
    static let longestOff: UInt64 = 366 * 86_400 * 1_000_000

    /// The properties with their signatures.
    private static let signatures: KeyValuePairs = [
        "Held": "aa{sv}", "IsOff": "b", "Muted": "as", "OffUntil": "t", "Watch": "s", "WatchedOutput": "s",
    ]

    private unowned let bus: BusConnection
    private let sentence: @Sendable (GuardStatus) -> String
    private var rate: RequestRate
    private var held: [HeldStream] = []
    private var values: [String: BusValue]
    private var onRequest: GuardDesktopHandlers.Request = { _, _ in }

    /// - Parameter sentence: the one that `guard status` begins with.
    init(_ bus: BusConnection, rate: RequestRate, sentence: @escaping @Sendable (GuardStatus) -> String) {
        self.bus = bus
        self.rate = rate
        self.sentence = sentence
        values = Self.values(of: GuardStatus(), sentence)
    }

    func start(onRequest: @escaping GuardDesktopHandlers.Request) {
        self.onRequest = onRequest
        bus.export(BusObject(path: Self.path, interfaces: [interface]))
        bus.awaitName(Self.name) { _ in }
    }

    func show(_ status: GuardStatus) {
        var new = Self.values(of: status, sentence)
        // The clock on the wall moves against that of the holds.
        let timeless = status.held.map(\.timeless)
        if timeless == held { new["Held"] = values["Held"] }
        held = timeless
        let changed = new.filter { values[$0.key] != $0.value }
        values = new
        if !changed.isEmpty { bus.emitPropertiesChanged(path: Self.path, interface: Self.name, changed) }
    }

    // MARK: The bus' side

    private var interface: BusInterface {
        BusInterface(
            name: Self.name,
            methods: [
                method("Release", ["s"], results: ["u"]) { arguments throws(BusError) in
                    let program = arguments[0].string ?? ""
                    guard program.utf8.count <= FocusRequest.longestText else {
                        throw .invalidArguments("the program has more than \(FocusRequest.longestText) bytes")
                    }
                    return .release(program: program.isEmpty ? nil : program)
                },
                method("LeaveAlone", ["s", "b"]) { arguments throws(BusError) in
                    guard let program = arguments[0].string, GuardRequest.isName(program) else {
                        throw .invalidArguments(
                            "the program must have 1 to \(GuardRequest.longestName) bytes, no character that is not shown, "
                                + "and no ~ or ! at its beginning")
                    }
                    return .leaveAlone(program: program, isLeft: arguments[1].bool == true)
                },
                method("OffUntil", ["t"]) { arguments throws(BusError) in
                    guard case .uint64(let time)? = arguments.first, time != 0 else { return .off(until: nil) }
                    let now = WallClock.now
                    guard time > now, time - now <= Self.longestOff else {
                        throw .invalidArguments(
                            "the time was \(time); use microseconds since 1970, in the future and at most 366 days from "
                                + "now, or 0 for no end")
                    }
                    return .off(until: time)
                },
                method("On", []) { _ throws(BusError) in .on },
            ],
            properties: [.init("Version", "u") { .uint32(Self.version) }]
                + Self.signatures.map { name, signature in
                    .init(name, signature) { [weak self] in self?.values[name] ?? .string("") }
                })
    }

    private func method(
        _ name: String, _ parameters: [String], results: [String] = [],
        _ read: @escaping @Sendable ([BusValue]) throws(BusError) -> GuardRequest
    ) -> BusInterface.Method {
        .init(name, parameters, results: results) { [weak self] sender, arguments, reply in
            let request: GuardRequest
            do throws(BusError) { request = try read(arguments) } catch { return reply(.failure(error)) }
            self?.bus.getProcess(of: sender) { [weak self] process in
                if let milliseconds = self?.rate.millisecondsToWait(process, sender) {
                    return reply(
                        .failure(.limitsExceeded("this program asks too often; ask again in \(milliseconds) ms")))
                }
                self?.onRequest(request) { [weak self] result in
                    self?.bus.perform {
                        reply(
                            result.map { results.isEmpty ? [] : [.uint32(UInt32(clamping: $0))] }
                                .mapError { BusError(name: "org.freedesktop.DBus.Error.Failed", message: $0.words) })
                    }
                }
            }
        }
    }

    // MARK: Words

    private static func values(
        of status: GuardStatus, _ sentence: (GuardStatus) -> String
    ) -> [String: BusValue] {
        [
            "Held": .array(of: "a{sv}", status.held.map { .properties(words($0)) }),
            "IsOff": .bool(status.scope.isOff), "Muted": .strings(status.armed.map(\.printable)),
            "OffUntil": .uint64(status.scope.offUntil ?? 0), "Watch": .string(sentence(status)),
            "WatchedOutput": .string(status.watchedOutput?.printable ?? ""),
        ]
    }

    private static func words(_ stream: HeldStream) -> [String: BusValue] {
        var words: [String: BusValue] = [
            "program": .string(stream.program.printable), "since": .uint64(WallClock.microseconds(of: stream.since)),
            "reasons": .strings(stream.reasons.map(\.words)), "isHeard": .bool(stream.isHeard),
            "isParked": .bool(stream.isParked),
        ]
        words["pid"] = stream.processID.map { .uint32($0) }
        return words
    }
}
