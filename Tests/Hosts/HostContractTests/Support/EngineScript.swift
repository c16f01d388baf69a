import AudioModel
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// A user and an app that do anything they may, at random, and what is known of the machine by then.
struct EngineScript {
    private static let outputs: [WorldDevice] = [.speaker, .headphones, .interface, .hdmi, .monitor]

    private let world: any World
    private let engine: AVAudioEngine
    private let player: AVAudioPlayerNode
    private let changes: ConfigurationChanges
    private let fadeSeconds: Double
    private var random: Seeded
    /// In the order of arrival.
    private var plugged: [WorldDevice]
    private var call: UInt64?
    /// Since the player's last play.
    private var hasLostOutput = false
    private var before = Situation()
    /// What the app has set, as long as it holds.
    private var map: [Int]?
    /// How often the engine was started again after it had been stopped.
    private(set) var restarts = 0

    /// What a step may change.
    private struct Situation: Equatable {
        var route: [WorldDevice] = []
        var channels = 0
        var changes = 0
        var isRunning = true
        var isPlaying = true
    }

    /// - Parameters:
    ///   - plugged: the outputs that are there, in the order of arrival.
    ///   - fadeSeconds: after which nothing fades or is on its way any more.
    init(seed: UInt64, in world: any World, plugged: [WorldDevice], fadeSeconds: Double) throws {
        self.world = world
        self.plugged = plugged
        self.fadeSeconds = fadeSeconds
        random = Seeded(seed: seed)
        (engine, player) = try world.startEngine(looping: NumberedLoop.buffer())
        changes = ConfigurationChanges(of: engine)
        before = situation
    }

    // MARK: Acting

    /// Does something, and says what.
    mutating func act() async throws -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: return try await plugOrUnplug()
        case 40..<65: return select()
        case 65..<70:
            engine.map = [Int](repeating: 0, count: before.channels + 1)
            return "a map of one too many"
        case 70..<80:
            let category =
                [AVAudioSession.Category.multiRoute, .multiRoute, .playback, .playAndRecord]
                .randomElement(using: &random) ?? .multiRoute
            try world.session.setCategory(category)
            return category.rawValue
        case 80..<90:
            let port = Bool.random(using: &random) ? AVAudioSession.PortOverride.speaker : .none
            let error = code { try world.session.overrideOutputAudioPort(port) }
            // There, too, without a speaker.
            #expect(error != nil || world.session.category == .playAndRecord)
            return "override \(port)"
        default: return try await callOrHangUp()
        }
    }

    private mutating func plugOrUnplug() async throws -> String {
        let device = Self.outputs.randomElement(using: &random) ?? .speaker
        if let index = plugged.firstIndex(of: device) {
            // The server's time is that of a sink.
            guard plugged.count > 1 else { return "nothing" }
            plugged.remove(at: index)
            try await world.unplug(device)
            return "unplug \(device)"
        }
        plugged.append(device)
        try await world.plug(device)
        return "plug \(device)"
    }

    /// The device-selection article: one device of the route, its first two channels.
    private mutating func select() -> String {
        let route = situation.route
        guard let device = route.randomElement(using: &random) else { return "nothing" }
        var wanted: [Int] = []
        for port in world.session.currentRoute.outputs {
            let count = port.channels?.count ?? 0
            let isChosen = port.portType == AVAudioSession.Port(device.kind)
            wanted += (0..<count).map { isChosen && $0 < min(2, engine.sourceChannels) ? $0 : -1 }
        }
        engine.map = wanted
        map = wanted
        return "select \(device): \(wanted)"
    }

    private mutating func callOrHangUp() async throws -> String {
        if let call {
            self.call = nil
            try await world.stopForeignStream(call)
            return "the call's end"
        }
        call = try await world.startForeignStream(role: "Phone")
        return "a call"
    }

    // MARK: Looking

    private var situation: Situation {
        Situation(
            route: world.session.currentRoute.outputs.compactMap { port in
                Self.outputs.first { AVAudioSession.Port($0.kind) == port.portType }
            },
            channels: engine.outputChannels, changes: changes.count, isRunning: engine.isRunning,
            isPlaying: player.isPlaying)
    }

    /// Checks everything that can be seen and heard, and starts the engine again where it was stopped.
    mutating func isSound(_ step: String) async throws -> Bool {
        try await world.settle()
        // A session manager that moves it to another sink, and is slow, makes it stand still for a moment.
        if let call {
            try await world.app.wait(for: "the call") { $0.foreignStreams.contains { $0.id == call } }
        }
        var now = situation
        let comment = Comment(rawValue: "\(step): \(before) became \(now)")
        let outputs = world.session.currentRoute.outputs
        var isSound = true
        func check(_ holds: Bool, _ what: String) {
            #expect(holds, "\(what); \(comment)")
            isSound = isSound && holds
        }
        // Of the way from one route to the other, too.
        try await world.run(seconds: fadeSeconds)
        for device in plugged where !before.route.contains(device) && !now.route.contains(device) {
            check(try await world.loudFrames(on: device) == 0, "not a frame on \(device)")
        }
        if world.session.category == .multiRoute {
            let others = plugged.filter { $0 != .speaker }
            check(now.route == (others.isEmpty ? plugged : others), "the route")
        }
        check(now.channels == outputs.reduce(0) { $0 + ($1.channels?.count ?? 0) }, "the sum of the channels")
        if map?.count != now.channels { map = nil }
        check(engine.map == map ?? defaultMap(now), "the map \(engine.map ?? [])")

        // Behaviours 83, 84 and 117
        let isChanged = now.channels != before.channels || before.isPlaying && !now.isPlaying
        // Behaviour 108: also of an engine that does not run.
        let isLost = !before.route.allSatisfy(plugged.contains)
        if isLost { hasLostOutput = true }
        let isInterrupted = call != nil || isLost && world.session.category == .playback
        check(now.isRunning == (before.isRunning && !isChanged && !isInterrupted), "the engine's state")
        check(now.changes - before.changes == (before.isRunning && isChanged ? 1 : 0), "the configuration changes")
        if isLost, world.session.category != .multiRoute { check(!player.isPlaying, "the player waits for its play") }
        if !player.isPlaying {
            check(hasLostOutput, "the player is paused")
            for device in now.route where !before.route.contains(device) {
                check(try await world.loudFrames(on: device) == 0, "not a frame on \(device) after the loss")
            }
            if now.isRunning { isSound = try await isHeard([], "after a loss; \(comment)") && isSound }
        }
        if !now.isRunning {
            isSound = try await isHeard([], "while stopped; \(comment)") && isSound
            if call == nil {
                try engine.start()
                restarts += 1
            } else {
                check(code { try engine.start() } == .insufficientPriority, "a start under a call")
            }
            now.isRunning = engine.isRunning
        }
        if !player.isPlaying, now.isRunning {
            isSound = try await isHeard([], "after a start; \(comment)") && isSound
            player.play()
            now.isPlaying = true
            hasLostOutput = false
        }
        if now.isRunning { isSound = try await isHeard(now.route, "\(comment)") && isSound }
        before = now
        return isSound
    }

    /// By labels on one device, where the mixer in front has the same channels.
    private func defaultMap(_ now: Situation) -> [Int] {
        guard now.route.count > 1 else { return Array(0..<now.channels) }
        let last = now.route[0] == .monitor ? 1 : 2
        return (0..<now.channels).map { $0 < last ? $0 : -1 }
    }

    /// The map's channels on the route, and silence on all other devices.
    private func isHeard(_ route: [WorldDevice], _ comment: Comment) async throws -> Bool {
        var rest = engine.map ?? []
        var expected: [WorldDevice: [Int?]] = [:]
        for (device, port) in zip(route, world.session.currentRoute.outputs) {
            let count = port.channels?.count ?? 0
            // The main mixer has a pair for two channels of sound.
            expected[device] = rest.prefix(count).map { $0 < 2 ? $0 : -1 }
            rest.removeFirst(count)
        }
        // Both channels of the loop on one: no channel of it.
        if route == [.monitor] { expected[.monitor] = [engine.map == [-1] ? -1 : nil] }
        try await world.run(seconds: fadeSeconds)
        let heard = try await world.record(plugged, frames: 2400) {}
        var isHeard = true
        for (device, channels) in zip(plugged, heard) {
            let channels = channels.map(NumberedLoop.channel)
            let wanted = expected[device] ?? channels.map { _ in -1 }
            #expect(channels == wanted, "\(device); \(comment)")
            isHeard = isHeard && channels == wanted
        }
        return isHeard
    }

    /// Whether a session may go from one phase to the other at once.
    static func follows(_ next: Journal.Phase, _ phase: Journal.Phase) -> Bool {
        switch (phase, next) {
        case (.inactive, .claiming), (.interrupted, .claiming), (.interrupted, .inactive): true
        case (.claiming, .active), (.claiming, .inactive), (.claiming, .interrupted): true
        case (.active, .interrupted), (.active, .inactive): true
        default: false
        }
    }
}

extension AVAudioEngine {
    /// What maps may name.
    fileprivate var sourceChannels: Int { Int(outputNode.inputFormat(forBus: 0).channelCount) }
}
