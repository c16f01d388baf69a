internal import AudioModel

/// A stream of a program that records; every text is untrusted.
package struct CaptureStream: Hashable, Sendable {
    /// Never used again while the server lives.
    package var id: UInt64
    package var program: Program
    /// It runs, and a real microphone leads to it.
    package var hearsMicrophone: Bool

    package init(id: UInt64, program: Program, hearsMicrophone: Bool) {
        self.id = id
        self.program = program
        self.hearsMicrophone = hearsMicrophone
    }
}

/// Who records a microphone, and for how long: what lasts holds the focus (`--while-recording`).
struct Recordings: Hashable, Sendable {
    /// Programs open a microphone for an instant, to look at it.
    static let leastSeconds = 0.7

    private enum Stage: Hashable {
        /// Exits: stops -> none; for `leastSeconds` -> `lasting`.
        case new(since: HostTime)
        /// It holds the focus, where the options say so. Exit: stops -> none.
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

    /// - Returns: whether it may have held the focus.
    mutating func end(_ id: UInt64) -> Bool { streams.removeValue(forKey: id)?.stage == .lasting }

    var lasting: [(id: UInt64, program: Program)] {
        streams.filter { $0.value.stage == .lasting }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.program) }
    }

    /// Those that have lasted so long now.
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
