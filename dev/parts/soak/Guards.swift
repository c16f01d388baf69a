import ArgumentParser
import Foundation
import PipeWireRig
import TestSupport

struct Guards: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "End guards in every way while they hold two programs, which are silent only where a guard answers for it."
    )

    @Argument(help: "How often.")
    var count: Int
    @Option(help: "Chooses what is random.")
    var seed = UInt64.random(in: 0...UInt64.max)

    func run() throws {
        report("seed \(seed)")
        try Soak.run { [count, seed] in
            let rounds = try GuardRounds(seed: seed)
            for number in 1...count {
                do {
                    try rounds.run()
                } catch {
                    throw Failure(description: "seed \(seed), round \(number): \(error)")
                }
                if number % 50 == 0 { report("\(number) rounds: \(rounds)") }
            }
            report("\(count) rounds, none silent without a guard, none heard that was said to be held: \(rounds)")
        }
    }
}

/// Two programs that play on a headset, and the guard that holds them when it leaves.
private final class GuardRounds: CustomStringConvertible {
    private enum Kind: String, CaseIterable {
        case firstClientIsRemoved, secondClientIsRemoved, bothClientsAreRemoved
        /// The next guard has the same process id, in a PID namespace; needs root.
        case killedBeforeANamesake
        case killed, ended, handedOverToTwo
    }

    /// What the server has at this moment.
    fileprivate struct Look {
        var targets: [String: String] = [:]
        var links: [String: Set<String>] = [:]
        var sinks: Set<String> = []
        var guardClients: [Int] = []
    }

    private static let names = ["music", "radio"]
    private static let prefix = "audiosession.guard."
    /// How long a program may be silent without a guard that answers.
    private static let mostSeconds = 2.0

    private let machine: Machine
    private var random: Seeded
    private var tones: [ToneGenerator] = []
    private var guardian: Program
    private var counts: [Kind: Int] = [:]
    private var longest = 0.0
    /// WirePlumber 0.4.13 forgets links now and then: such a program plays on two outputs, and is replaced.
    private var forgotten = 0

    init(seed: UInt64) throws {
        random = Seeded(seed: seed)
        machine = try Machine()
        guardian = try machine.start(["guard"])
    }

    var description: String {
        let kinds = Kind.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
        return "\(kinds); at most \(longest) s; \(forgotten) links were forgotten by the session manager"
    }

    func run() throws {
        try hold()
        let kinds = Kind.allCases.filter { $0 != .killedBeforeANamesake || geteuid() == 0 }
        let kind = kinds.randomElement(using: &random)!
        try perform(kind)
        // From here on a guard is there, or has just been cut off.
        let start = ContinuousClock.now
        counts[kind, default: 0] += 1
        let held = try settle(since: start, kind)
        if kind == .handedOverToTwo, held != 2 {
            throw Failure(description: "\(kind): \(held) of 2 are held: \(guardian.output)")
        }
    }

    /// The headset leaves, and both stand still.
    private func hold() throws {
        try until("a guard: \(guardian.output)") { guardian.output.contains("The guard is running.") }
        try machine.plugHeadset()
        while try tones.isEmpty || !becomeHeardOnTheHeadset() {
            if !tones.isEmpty { forgotten += 1 }
            for tone in tones { tone.stop() }
            tones = try Self.names.enumerated().map { number, name in
                try machine.server.makeTone(
                    name: name, properties: ["application.name": name, "application.process.id": "\(11 + number)"])
            }
            for tone in tones { tone.play(frames: nil) }
        }
        try until("a guard that watches: \(guardian.output)") { try status().contains("is watched") }
        machine.pullHeadset()
        try until("both are held: \(guardian.output)") {
            let look = try look()
            return Self.names.allSatisfy {
                look.links[$0]?.count == 1 && look.links[$0] == look.targets[$0].map { [$0] }
            }
        }
    }

    private func becomeHeardOnTheHeadset() throws -> Bool {
        for _ in 0..<50 {
            let look = try look()
            if Self.names.allSatisfy({ look.links[$0] == ["headset"] }) { return true }
            Thread.sleep(forTimeInterval: 0.1)
        }
        return false
    }

    private func perform(_ kind: Kind) throws {
        switch kind {
        case .firstClientIsRemoved: try removeClients { $0.prefix(1) }
        case .secondClientIsRemoved: try removeClients { $0.suffix(1) }
        case .bothClientsAreRemoved: try removeClients { $0[...] }
        case .killedBeforeANamesake, .killed:
            guardian.end(by: SIGKILL)
            let words = kind == .killed ? [] : ["unshare", "--pid", "--fork", "--kill-child"]
            guardian = try machine.start(["guard"], through: words)
            // Until then the program is heard: its target names a sink that has gone with the guard.
            try until("the next guard: \(guardian.output)") { guardian.output.contains("The guard is running.") }
        case .ended:
            guard try machine.start(["guard", "stop"]).waitForEnd() == 0 else { throw Failure(description: "no stop") }
            let left = try look().targets
            guard left.isEmpty else { throw Failure(description: "an orderly end leaves \(left)") }
            guardian = try machine.start(["guard"])
        case .handedOverToTwo:
            guard try machine.start(["guard", "stop", "--keep"]).waitForEnd() == 0 else {
                throw Failure(description: "no stop")
            }
            let next = [try machine.start(["guard"]), try machine.start(["guard"])]
            try until("one of two guards ends") { next.count { $0.isRunning } == 1 }
            guardian = next.first { $0.isRunning } ?? next[0]
        }
    }

    private func removeClients(_ which: ([Int]) -> ArraySlice<Int>) throws {
        let clients = try look().guardClients.sorted()
        guard clients.count == 2 else { throw Failure(description: "a guard with the clients \(clients)") }
        for client in which(clients) { try? machine.server.run(["pw-cli", "destroy", "\(client)"]) }
    }

    /// Waits until all is well three times in a row, a second after the event at the earliest.
    ///
    /// - Returns: how many programs are held.
    private func settle(since start: ContinuousClock.Instant, _ kind: Kind) throws -> Int {
        var (good, last, fault) = (0, 0.0, "")
        while true {
            let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
            let look = try look()
            if let found = try self.fault(of: look) {
                (good, last, fault) = (0, seconds, found)
            } else {
                good += 1
            }
            guard last <= Self.mostSeconds else {
                throw Failure(
                    description: "\(kind), \(last) s later: \(fault); sinks: \(look.sinks.sorted()), "
                        + "guard: \(guardian.output)")
            }
            if good >= 3, seconds > 1 {
                longest = max(longest, last)
                return Self.names.count { look.targets[$0] != nil }
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// A program stands at the sink of a guard that says so, or is heard.
    private func fault(of look: Look) throws -> String? {
        var held: [String] = []
        for name in Self.names {
            let links = look.links[name] ?? []
            if let target = look.targets[name] {
                guard look.sinks.contains(target), links == [target] else { return "\(name): \(target), \(links)" }
                held.append(name)
            } else if links.isEmpty || links.contains(where: { $0.hasPrefix(Self.prefix) }) {
                return "\(name): no target, \(links)"
            }
        }
        guard !held.isEmpty else { return nil }
        let status = try status()
        return held.allSatisfy { status.contains("Held by guard: \($0)") } ? nil : "\(held): \(status)"
    }

    private func status() throws -> String {
        let program = try machine.start(["guard", "status"])
        _ = program.waitForEnd()
        return program.output
    }

    private func look() throws -> Look {
        let path = machine.directory.path("dump.json")
        var objects: [[String: Any]]?
        // Where objects come or go meanwhile, pw-dump writes more than one array.
        for _ in 0..<10 where objects == nil {
            try machine.server.run(["sh", "-c", "pw-dump >\(path)"])
            let data = try Data(contentsOf: URL(filePath: path))
            objects = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        }
        return Look(of: objects ?? [])
    }
}

extension GuardRounds.Look {
    init(of objects: [[String: Any]]) {
        var names: [Int: String] = [:]
        var ends: [(from: Int, to: Int)] = []
        var metadata: [[String: Any]] = []
        for object in objects {
            guard let id = object["id"] as? Int, let type = object["type"] as? String else { continue }
            let info = object["info"] as? [String: Any] ?? [:]
            let properties = info["props"] as? [String: Any] ?? [:]
            switch type.split(separator: ":").last {
            case "Node": names[id] = properties["node.name"] as? String
            case "Link":
                guard let from = info["output-node-id"] as? Int, let to = info["input-node-id"] as? Int else { break }
                ends.append((from, to))
            case "Client":
                if properties["application.process.binary"] as? String == "audiosession" { guardClients.append(id) }
            case "Metadata": metadata += object["metadata"] as? [[String: Any]] ?? []
            default: break
            }
        }
        sinks = Set(names.values)
        for (from, to) in ends {
            guard let name = names[from], let sink = names[to], !sink.hasPrefix("oav-rig.") else { continue }
            links[name, default: []].insert(sink)
        }
        for entry in metadata where entry["key"] as? String == "target.object" {
            guard let id = entry["subject"] as? Int, let name = names[id] else { continue }
            targets[name] = entry["value"].map { "\($0)" }
        }
    }
}
