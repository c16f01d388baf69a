import AudioModel

@testable import GuardCore

extension ModelMachine {
    struct Stream: Hashable {
        var id: UInt64
        var program: Program
        var role: String?
        /// Its program plays.
        var isPlaying = true
        var isSilent = false
        var target: String?
        /// The claim of the guard whose holding sink is the target.
        var holder: UInt64?
        /// The same, of the ducking sink.
        var isDucked = false
        var linkTarget = ProgramStream.LinkTarget.nowhere

        var isHeld: Bool { holder != nil }
        var isGuards: Bool { isHeld || isDucked }
        mutating func free() { (holder, isDucked) = (nil, false) }
    }
}

/// The streams of a machine, and what guards were told of them.
struct ModelStreams {
    var all: [UInt64: ModelMachine.Stream] = [:]
    /// How many moves to a holding sink leave a link to the sink of before.
    var linksToForget = 0
    /// The sinks to which streams have such a link.
    var strays: [UInt64: String] = [:]
    private(set) var told: [UInt64: ProgramStream] = [:]
    private var toldHolders: [UInt64: UInt64] = [:]
    private(set) var hearing = ModelHearing()

    mutating func end(_ id: UInt64) { (all[id], told[id], strays[id]) = (nil, nil, nil) }

    /// What is new of a stream since the last call.
    mutating func change(
        of id: UInt64, among sinks: [ModelMachine.Sink], duckOutput: String?, decibels: Double
    ) -> ModelMessage? {
        guard var stream = all[id] else { return nil }
        // It is where it can be heard.
        if let stray = strays[id] { stream.linkTarget = .sink(stray) }
        if stream.isPlaying { hearing.note(stream, among: sinks, duckOutput: duckOutput, decibels: decibels) }
        let fact = ProgramStream(
            id: id, program: stream.program, role: stream.role,
            isRunning: stream.isPlaying && stream.linkTarget != .nowhere, isSilent: stream.isSilent,
            linkTarget: stream.linkTarget, chosenTarget: stream.isGuards ? nil : stream.target)
        guard told[id] != fact || toldHolders[id] != stream.holder else { return nil }
        (told[id], toldHolders[id]) = (fact, stream.holder)
        return ModelMessage(fact: .streamChanged(fact), holder: stream.holder)
    }

    /// A guard moves it to its holding sink.
    mutating func cut(_ id: UInt64, _ cutsLinks: Bool, among sinks: [ModelMachine.Sink]) {
        let former = all[id]?.linkTarget
        if cutsLinks {
            all[id]?.linkTarget = .nowhere
            strays[id] = nil
        }
        if case .sink(let name)? = former { forgetLink(of: id, to: name, among: sinks) }
    }

    mutating func forgetLink(of id: UInt64, to name: String, among sinks: [ModelMachine.Sink]) {
        guard linksToForget > 0, sinks.contains(where: { $0.name == name }) else { return }
        strays[id] = name
        linksToForget -= 1
    }
}

/// Where the streams of a machine have sounded, and how loud.
struct ModelHearing {
    /// The ports where each stream was heard, without repetition.
    private(set) var ports: [UInt64: [String]] = [:]
    /// How many decibels lower each stream was heard, without repetition.
    private(set) var levels: [UInt64: [Double]] = [:]

    /// A stream whose program plays.
    ///
    /// - Parameters:
    ///   - duckOutput: of the ducking sink; nil where there is none.
    ///   - decibels: of the ducking sink.
    mutating func note(
        _ stream: ModelMachine.Stream, among sinks: [ModelMachine.Sink], duckOutput: String?, decibels: Double
    ) {
        guard let name = Self.output(of: stream, among: sinks, duckOutput) else { return }
        let level = stream.linkTarget == .duck ? decibels : 0
        if levels[stream.id]?.last != level { levels[stream.id, default: []].append(level) }
        let sink = sinks.first { $0.name == name }
        let isOnSpeaker = sink?.isOnSpeaker == true
        let port = sink?.hasJack == true ? name + (isOnSpeaker ? "/speaker" : "/jack") : name
        let isAudible = !(isOnSpeaker && sink?.isMuted == true)
        if isAudible, ports[stream.id]?.last != port { ports[stream.id, default: []].append(port) }
    }

    /// The sink that it is heard on; the ducking sink's links end with their output.
    private static func output(
        of stream: ModelMachine.Stream, among sinks: [ModelMachine.Sink], _ duckOutput: String?
    ) -> String? {
        switch stream.linkTarget {
        case .sink(let name): name
        case .duck: duckOutput.flatMap { name in sinks.contains { $0.name == name } ? name : nil }
        case .nowhere, .catch, .hold: nil
        case .role(let output): output
        }
    }
}

/// The ways of streams to sinks of guards.
struct ModelJourneys {
    private var begins: [UInt64: HostTime] = [:]
    /// Streams that were moved back before their guard was told of their arrival: WirePlumber 0.5 can leave them without a link.
    private(set) var hurried: [UInt64] = []

    mutating func begin(_ id: UInt64, at now: HostTime) { begins[id] = now }

    mutating func note(_ stream: ModelMachine.Stream?, movedBackBy machine: GuardMachine, at now: HostTime) {
        // A guard that hands over, or that can do nothing any more, waits for no stream.
        guard machine.life == .guarding || machine.life == .ending, let stream, stream.isGuards,
            let told = machine.book.streams[stream.id]?.stream.linkTarget, let begin = begins[stream.id]
        else { return }
        let hasArrived = told == (stream.isHeld ? .hold : .duck)
        if !hasArrived, now.seconds(since: begin) < StreamRecord.arrivalSeconds { hurried.append(stream.id) }
    }
}
