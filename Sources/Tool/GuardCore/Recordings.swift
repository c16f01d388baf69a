internal import AudioModel

/// A program's recording stream; every text is untrusted.
package struct CaptureStream: Hashable, Sendable {
    /// Unique while the server lives.
    package var id: UInt64
    package var program: Program
    /// The stream runs, and a real microphone is linked to it.
    package var hearsMicrophone: Bool

    package init(id: UInt64, program: Program, hearsMicrophone: Bool) {
        self.id = id
        self.program = program
        self.hearsMicrophone = hearsMicrophone
    }
}

/// The streams that record a microphone, and for how long; a lasting recording holds the focus (`--while-recording`).
struct Recordings: Hashable, Sendable {
    /// A shorter recording does not count: programs open a microphone for a moment to inspect it.
    static let leastSeconds = 0.7

    private enum Stage: Hashable {
        /// Exits: stops -> none; for `leastSeconds` -> `lasting`.
        case new(since: HostTime)
        /// It holds the focus if the options say so. Exit: stops -> none.
        case lasting
    }

    private struct Recording: Hashable {
        let program: Program
        var stage: Stage
    }

    private var streams: [UInt64: Recording] = [:]

    mutating func begin(_ stream: CaptureStream, at now: HostTime) {
        if streams[stream.id] == nil {
            streams[stream.id] = Recording(program: stream.program, stage: .new(since: now))
        }
    }

    /// - Returns: whether the recording may have held the focus.
    mutating func end(_ id: UInt64) -> Bool { streams.removeValue(forKey: id)?.stage == .lasting }

    var lasting: [(id: UInt64, program: Program)] {
        streams.filter { $0.value.stage == .lasting }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.program) }
    }

    /// - Returns: the recordings that have now lasted for `leastSeconds`.
    mutating func drain(at now: HostTime) -> [(id: UInt64, program: Program)] {
        let due = streams.filter { Self.deadline($0.value.stage).map { $0 <= now } ?? false }
        for id in due.keys { streams[id]?.stage = .lasting }
        return due.sorted { $0.key < $1.key }.map { ($0.key, $0.value.program) }
    }

    var deadline: HostTime? { streams.values.compactMap { Self.deadline($0.stage) }.min() }

    private static func deadline(_ stage: Stage) -> HostTime? {
        if case .new(let since) = stage { since.advanced(bySeconds: leastSeconds) } else { nil }
    }
}
