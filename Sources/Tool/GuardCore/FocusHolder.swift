package import AudioModel

/// A program that has the others hold or go quieter; every text is untrusted.
package struct FocusHolder: Hashable, Sendable {
    package enum ID: Hashable, Sendable, Codable {
        /// A claim in the registry of sessions: of `audiosession focus`, or of a session of this library.
        case claim(serial: UInt64)
        /// Over the message bus.
        case bus(cookie: UInt32)
        /// A stream that records a microphone.
        case capture(stream: UInt64)

        var isRecording: Bool { if case .capture = self { true } else { false } }
    }

    package enum Kind: Hashable, Sendable {
        /// The others stand still.
        case pause
        /// Those that speak stand still.
        case pauseSpeech
        /// The others are that much lower.
        case duck(decibels: Double)
    }

    /// How much lower where nothing else is said: a factor of 0.2, as in our own players.
    package static let standardDecibels = 14.0
    package static let decibelRange = 1.0...60.0

    package var id: ID
    package var kind: Kind
    /// Whose streams play on, with those of the processes that it has started.
    package var program: Program
    package var reason: String?
    /// Sessions of this library take it for a call: those that mix are interrupted too.
    package var isCall: Bool
    /// Names or binaries, in lower case; where there are some, nothing else is held or lowered.
    package var only: Set<String>
    /// What is left alone.
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

    /// Sessions of this library cannot be told from each other by what names a program.
    package var concernsAll: Bool { only.isEmpty && except.isEmpty }

    package var decibels: Double? { if case .duck(let decibels) = kind { decibels } else { nil } }

    func concerns(_ other: Program) -> Bool {
        guard other.identity != program.identity else { return false }
        if let process = program.processID, other.ancestors.contains(process) { return false }
        return (only.isEmpty || only.contains(where: other.answers)) && !except.contains(where: other.answers)
    }
}

/// What the guard's own claim says to the sessions of this library, which arbitrate among themselves.
package enum FocusClaim: Hashable, Sendable {
    case duck, pauseSpeech, pause, call
}

/// All that hold the focus, in the order in which they came.
struct FocusHolders: Hashable, Sendable {
    private(set) var all: [FocusHolder] = []

    /// - Returns: what it was before; nil where it is new.
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

    /// The server has gone, and with it what it told; those of the bus are still there.
    mutating func removeServers() { all.removeAll { if case .bus = $0.id { false } else { true } } }

    /// How much lower everything goes that is lowered: as much as one of them wants.
    var decibels: Double? { all.compactMap(\.decibels).max() }

    /// - Parameter forRecordings: a recording lowers it too.
    func lowers(_ program: Program, forRecordings: Bool) -> Bool {
        all.contains { $0.decibels != nil && $0.concerns(program) && (forRecordings || !$0.id.isRecording) }
    }

    /// Those with a claim of their own are heard by the sessions without the guard.
    ///
    /// A recording does not pause sessions: one of them may record too.
    var claim: FocusClaim? {
        all.filter(\.concernsAll).compactMap { holder -> FocusClaim? in
            switch (holder.id, holder.kind) {
            case (.claim, _): nil
            case (.capture, _), (.bus, .duck): .duck
            case (.bus, .pauseSpeech): .pauseSpeech
            case (.bus, .pause): holder.isCall ? .call : .pause
            }
        }.max { Self.rank($0) < Self.rank($1) }
    }

    private static func rank(_ claim: FocusClaim) -> Int {
        switch claim {
        case .duck: 0
        case .pauseSpeech: 1
        case .pause: 2
        case .call: 3
        }
    }
}
