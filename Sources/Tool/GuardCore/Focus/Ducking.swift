internal import AudioModel

/// The ducking sink's life: streams move to it and away from it at full gain, and its gain fades in between.
///
/// Pure. The sink passes its sound on to one output and ends with the guard's process. The guard changes no program's volume.
struct Ducking: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Exit: a holder lowers a stream that plays -> `opening`.
        case closed
        /// Exits: the sink passes its sound on -> `filling`; no holder for `lingerSeconds` -> `closed`.
        ///
        /// The sink stays for a holder that leaves at once: each new sink costs the server two more nodes.
        case opening(since: HostTime)
        /// Streams move to the sink. Exits: all streams have arrived, or `arrivalSeconds` have passed -> `lowered`; no holder
        /// -> `emptying`.
        case filling(since: HostTime, isAsked: Bool)
        /// Exit: no holder -> `rising`.
        case lowered(decibels: Double)
        /// Streams are back at full gain, and stay for a holder that returns, such as a screen reader: each move of a stream is a click.
        /// Exits: `restSeconds` have passed -> `emptying`; a holder -> `lowered`.
        case rising(since: HostTime)
        /// Streams move back. Exits: `lingerSeconds` have passed -> `closed`; a holder -> `filling`.
        ///
        /// WirePlumber 0.4 loses track of a stream if the stream's sink is removed while WirePlumber links to it. For a stream that was
        /// moved to the sink and back, no event says whether WirePlumber still makes a link. So the sink stays for a fixed time.
        case emptying(since: HostTime)
    }

    /// The facts about the machine that the rules read.
    struct Scene {
        /// How much quieter the streams become; nil if no holder lowers a stream that plays.
        var decibels: Double?
        /// The default output; nil if there is none, or if it is about to change.
        var output: String?
        /// Every stream has arrived where the guard has sent it.
        var isSettled: Bool
        var now: HostTime
    }

    /// A step to carry out; the steps run in the order in which they are returned.
    enum Step: Hashable, Sendable {
        case open(output: String)
        case link(output: String)
        /// Move every stream that is to be lowered to the sink.
        case fill
        case fade(decibels: Double, seconds: Double)
        /// Move every stream away from the sink.
        case empty
        case close
    }

    static let arrivalSeconds = 0.5
    static let fallSeconds = 0.08
    static let riseSeconds = 0.25
    /// From the beginning of the rise.
    static let restSeconds = 2.0
    static let lingerSeconds = 2.0

    private(set) var phase = Phase.closed
    /// The sink to which the ducking sink passes its sound.
    private(set) var output: String?

    var isOpen: Bool { phase != .closed }

    /// The sink passes its sound on.
    mutating func noteReady(at now: HostTime) {
        if case .opening = phase { phase = .filling(since: now, isAsked: false) }
    }

    mutating func advance(_ scene: Scene) -> [Step] {
        var steps: [Step] = []
        if isOpen, let output = scene.output, output != self.output {
            self.output = output
            steps.append(.link(output: output))
        }
        switch (phase, scene.decibels) {
        case (.closed, nil), (.opening, _?): break
        case (.closed, _?):
            guard let output = scene.output else { break }
            (phase, self.output) = (.opening(since: scene.now), output)
            steps.append(.open(output: output))
        case (.opening(let since), nil):
            guard scene.now.seconds(since: since) >= Self.lingerSeconds else { break }
            steps.append(close())
        case (.filling, nil):
            phase = .emptying(since: scene.now)
            steps.append(.empty)
        case (.filling(let since, let isAsked), let decibels?):
            steps.append(.fill)
            phase = .filling(since: since, isAsked: true)
            guard isAsked, scene.isSettled || scene.now.seconds(since: since) >= Self.arrivalSeconds else { break }
            phase = .lowered(decibels: decibels)
            steps.append(.fade(decibels: decibels, seconds: Self.fallSeconds))
        case (.lowered(let old), let decibels?):
            steps.append(.fill)
            guard old != decibels else { break }
            phase = .lowered(decibels: decibels)
            steps.append(.fade(decibels: decibels, seconds: Self.fallSeconds))
        case (.lowered, nil):
            phase = .rising(since: scene.now)
            steps.append(.fade(decibels: 0, seconds: Self.riseSeconds))
        case (.rising, let decibels?):
            phase = .lowered(decibels: decibels)
            steps += [.fill, .fade(decibels: decibels, seconds: Self.fallSeconds)]
        case (.rising(let since), nil):
            guard scene.now.seconds(since: since) >= Self.restSeconds else { break }
            phase = .emptying(since: scene.now)
            steps.append(.empty)
        case (.emptying, _?):
            phase = .filling(since: scene.now, isAsked: true)
            steps.append(.fill)
        case (.emptying(let since), nil):
            guard scene.now.seconds(since: since) >= Self.lingerSeconds else { break }
            steps.append(close())
        }
        return steps
    }

    private mutating func close() -> Step {
        (phase, output) = (.closed, nil)
        return .close
    }

    /// The next time at which `advance` has work; a time that has passed is waited for no more.
    func deadline(after now: HostTime) -> HostTime? { deadline.flatMap { $0 > now ? $0 : nil } }

    private var deadline: HostTime? {
        switch phase {
        case .closed, .lowered: nil
        case .filling(let since, _): since.advanced(bySeconds: Self.arrivalSeconds)
        case .opening(let since), .emptying(let since): since.advanced(bySeconds: Self.lingerSeconds)
        case .rising(let since): since.advanced(bySeconds: Self.restSeconds)
        }
    }
}
