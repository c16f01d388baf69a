internal import AudioModel

/// The ducking sink's life: streams move there and away at full gain, and its gain fades in between.
///
/// Pure. The sink passes sound on to one output, and ends with the guard's process: no volume of any program is written.
struct Ducking: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Exit: a holder lowers a stream that sounds -> `opening`.
        case closed
        /// Exits: the sink passes sound on -> `filling`; no holder for `lingerSeconds` -> `closed`.
        ///
        /// It outlives a holder that leaves at once: each sink would be two nodes more for the server.
        case opening(since: HostTime)
        /// Streams are on their way to it. Exits: all are there, or `arrivalSeconds` have passed -> `lowered`; no holder
        /// -> `emptying`.
        case filling(since: HostTime, isAsked: Bool)
        /// Exit: no holder -> `rising`.
        case lowered(decibels: Double)
        /// Exits: `riseSeconds` have passed -> `emptying`; a holder -> `lowered`.
        case rising(since: HostTime)
        /// Streams are on their way back. Exits: `lingerSeconds` have passed -> `closed`; a holder -> `filling`.
        ///
        /// WirePlumber 0.4 loses track of a stream whose sink goes while it makes a link to it, and of one that was sent here
        /// and back nothing says whether it does.
        case emptying(since: HostTime)
    }

    /// What there is of the machine.
    struct Scene {
        /// How much lower; nil where no holder lowers anything that sounds.
        var decibels: Double?
        /// The output that plays by default; nil where there is none, or it is about to change.
        var output: String?
        /// Every stream is where the guard has sent it.
        var isSettled: Bool
        var now: HostTime
    }

    /// What is to be done, in this order.
    enum Step: Hashable, Sendable {
        case open(output: String)
        case link(output: String)
        /// Every stream that is concerned is moved to the sink.
        case fill
        case fade(decibels: Double, seconds: Double)
        /// Every stream is moved away.
        case empty
        case close
    }

    static let arrivalSeconds = 0.5
    static let fallSeconds = 0.08
    static let riseSeconds = 0.25
    static let lingerSeconds = 2.0

    private(set) var phase = Phase.closed
    /// The sink that it passes sound on to.
    private(set) var output: String?

    var isOpen: Bool { phase != .closed }

    /// The sink passes sound on.
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
            guard scene.now.seconds(since: since) >= Self.riseSeconds else { break }
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

    /// When it has to be asked again.
    var deadline: HostTime? {
        switch phase {
        case .closed, .lowered: nil
        case .filling(let since, _): since.advanced(bySeconds: Self.arrivalSeconds)
        case .opening(let since), .emptying(let since): since.advanced(bySeconds: Self.lingerSeconds)
        case .rising(let since): since.advanced(bySeconds: Self.riseSeconds)
        }
    }
}
