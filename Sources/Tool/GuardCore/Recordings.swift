internal import AudioModel

/// A program's recording stream; every text is untrusted.
package struct CaptureStream: Hashable, Sendable {
    /// Unique while the server lives.
    package var id: UInt64
    package var program: Program
    /// The stream runs, and a real microphone is linked to it.
    package var hearsMicrophone: Bool
    /// The stream runs, and another program or an output is linked to it.
    package var hearsPrograms: Bool
    package var role: String?
    /// The microphone of a Bluetooth headset that plays music is linked to it: the session manager is about to switch the headset.
    package var opensHeadset = false
    /// The session manager chooses its microphone: the program has named none, and lets it be moved.
    package var isMovable = true
    /// The microphone's `node.name` that the guard or a mixer has set; nil if none has.
    package var target: String?

    package init(id: UInt64, program: Program, hearsMicrophone: Bool, hearsPrograms: Bool = false) {
        self.id = id
        self.program = program
        self.hearsMicrophone = hearsMicrophone
        self.hearsPrograms = hearsPrograms
    }
}

/// The streams that record a microphone, and for how long; a lasting recording holds the focus (`--while-recording`).
struct Recordings: Hashable, Sendable {
    /// A shorter recording does not count: programs open a microphone for a moment to inspect it.
    static let leastSeconds = 0.7

    private enum Stage: Hashable {
        /// Exits: stops -> none; for `leastSeconds` -> `lasting`.
        case new
        /// It holds the focus if the options say so. Exit: stops -> none.
        case lasting
    }

    private struct Recording: Hashable {
        let program: Program
        let since: HostTime
        var stage: Stage
    }

    private var streams: [UInt64: Recording] = [:]
    /// The programs of the streams that record what other programs play.
    private var listeners: [UInt64: Program.Identity] = [:]

    mutating func note(_ stream: CaptureStream) {
        listeners[stream.id] = stream.hearsPrograms ? stream.program.identity : nil
    }

    mutating func begin(_ stream: CaptureStream, at now: HostTime) {
        if streams[stream.id] == nil {
            streams[stream.id] = Recording(program: stream.program, since: now, stage: .new)
        }
    }

    /// - Returns: whether the recording may have held the focus.
    mutating func end(_ id: UInt64) -> Bool { streams.removeValue(forKey: id)?.stage == .lasting }

    /// Forgets what the stream records besides a microphone.
    mutating func remove(_ id: UInt64) { listeners[id] = nil }

    var isEmpty: Bool { streams.isEmpty }

    /// When the program's recordings of a microphone began; none if it also records what other programs play.
    func begins(of program: Program.Identity) -> [HostTime] {
        guard !listeners.values.contains(program) else { return [] }
        return streams.values.filter { $0.program.identity == program }.map(\.since)
    }

    var lasting: [(id: UInt64, program: Program)] {
        streams.filter { $0.value.stage == .lasting }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.program) }
    }

    /// - Returns: the recordings that have now lasted for `leastSeconds`.
    mutating func drain(at now: HostTime) -> [(id: UInt64, program: Program)] {
        let due = streams.filter { Self.deadline($0.value).map { $0 <= now } ?? false }
        for id in due.keys { streams[id]?.stage = .lasting }
        return due.sorted { $0.key < $1.key }.map { ($0.key, $0.value.program) }
    }

    var deadline: HostTime? { streams.values.compactMap(Self.deadline).min() }

    private static func deadline(_ recording: Recording) -> HostTime? {
        recording.stage == .new ? recording.since.advanced(bySeconds: leastSeconds) : nil
    }
}
