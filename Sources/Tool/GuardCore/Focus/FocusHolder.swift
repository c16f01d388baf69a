package import AudioModel

/// A program that holds the focus: other programs are held or play quieter; every text is untrusted.
package struct FocusHolder: Hashable, Sendable {
    package enum ID: Hashable, Sendable, Codable {
        /// A claim in the claim registry, from `audiosession focus` or from a session of this library.
        case claim(serial: UInt64)
        /// A request over the message bus.
        case bus(cookie: UInt32)
        /// A stream that records a microphone.
        case capture(stream: UInt64)
        /// A stream whose role lowers the others while it is heard, such as a screen reader's.
        case alert(stream: UInt64)

        var isRecording: Bool { if case .capture = self { true } else { false } }
        var isAlert: Bool { if case .alert = self { true } else { false } }
    }

    package enum Kind: Hashable, Sendable {
        /// Hold the other programs.
        case pause
        /// Hold the other programs that speak.
        case pauseSpeech
        /// Lower the other programs by this many decibels.
        case duck(decibels: Double)
    }

    /// The decibels of a request that names none: a factor of 0.2, as in our own players.
    package static let standardDecibels = 14.0
    package static let decibelRange = 1.0...60.0

    package var id: ID
    package var kind: Kind
    /// The program whose streams continue to play, with those of its child processes.
    package var program: Program
    package var reason: String?
    /// Sessions of this library treat it as a call: sessions that mix are interrupted too.
    package var isCall: Bool
    /// Names or binaries, in lower case; if there are any, only these programs are held or lowered.
    package var only: Set<String>
    /// Names or binaries, in lower case, of the programs that are left alone.
    package var except: Set<String>
    package var since: HostTime

    package init(
        id: ID, kind: Kind, program: Program, reason: String? = nil, isCall: Bool = false, only: Set<String> = [],
        except: Set<String> = [], since: HostTime = .zero
    ) {
        self.id = id
        self.kind = kind
        self.program = program
        self.reason = reason
        self.isCall = isCall
        self.only = only
        self.except = except
        self.since = since
    }

    /// Whether it names no programs.
    ///
    /// Only then can it apply to sessions of this library, which a program's name cannot tell apart.
    package var concernsAll: Bool { only.isEmpty && except.isEmpty }

    package var decibels: Double? { if case .duck(let decibels) = kind { decibels } else { nil } }

    func concerns(_ other: Program) -> Bool {
        guard other.identity != program.identity else { return false }
        if let process = program.processID, other.ancestors.contains(process) { return false }
        return (only.isEmpty || only.contains(where: other.answers)) && !except.contains(where: other.answers)
    }
}

/// What a claim asks of the sessions of this library, which arbitrate among themselves; a later one asks for more.
package enum FocusClaim: Hashable, Comparable, Sendable {
    case duck, pauseSpeech, pause, call

    init(_ kind: FocusHolder.Kind, isCall: Bool) {
        self =
            switch kind {
            case .duck: .duck
            case .pauseSpeech: .pauseSpeech
            case .pause: isCall ? .call : .pause
            }
    }
}

/// All focus holders, in the order in which they came.
struct FocusHolders: Hashable, Sendable {
    private(set) var all: [FocusHolder] = []

    /// - Returns: the holder's former value; nil if the holder is new.
    mutating func change(_ holder: FocusHolder) -> FocusHolder? {
        guard let index = all.firstIndex(where: { $0.id == holder.id }) else {
            all.append(holder)
            return nil
        }
        defer { all[index] = holder }
        return all[index]
    }

    mutating func remove(_ id: FocusHolder.ID) -> FocusHolder? {
        all.firstIndex { $0.id == id }.map { all.remove(at: $0) }
    }

    /// Removes the holders that the server announced, because the connection is gone; holders on the bus stay.
    mutating func removeServers() { all.removeAll { if case .bus = $0.id { false } else { true } } }

    /// How much quieter every lowered stream becomes: the largest value of all holders.
    var decibels: Double? { all.compactMap(\.decibels).max() }

    /// - Parameter forRecordings: whether a recording lowers the program too.
    func lowers(_ program: Program, forRecordings: Bool) -> Bool {
        all.contains { $0.decibels != nil && $0.concerns(program) && (forRecordings || !$0.id.isRecording) }
    }

    /// The guard's own claim for the sessions of this library; nil if none is needed.
    ///
    /// Sessions see holders with a claim of their own, and streams with a role, without the guard. A recording does not pause sessions: a
    /// session may record too.
    ///
    /// - Parameter hasFoundCall: whether a call was found that sessions do not see; it may be mistaken, so it refuses no session.
    func claim(hasFoundCall: Bool) -> FocusClaim? {
        let claims = all.filter(\.concernsAll).compactMap { holder -> FocusClaim? in
            switch holder.id {
            case .claim, .alert: nil
            case .capture: .duck
            case .bus: FocusClaim(holder.kind, isCall: holder.isCall)
            }
        }
        return (claims + (hasFoundCall ? [.pause] : [])).max()
    }
}
