import Foundation
import PipeWireRig
import Testing

/// A machine with a guard, and programs that play without end.
final class GuardScene {
    let machine: TestMachine
    var run: ToolRun

    init(_ words: String...) throws {
        machine = try TestMachine()
        run = try ToolRun(["guard"] + words, environment: machine.environment)
        try run.wait(forOutput: "The guard is running")
        if !words.contains("--dry-run") { try waitUntilWatching() }
    }

    /// A catching sink is there, and the session manager has set it up.
    func waitUntilWatching() throws { try Self.waitUntilWatching(machine.server) }

    static func waitUntilWatching(_ server: PrivatePipeWire) throws {
        try server.waitUntil("the guard watches the default output") { graph in
            graph.nodes.contains { node in
                node.name.hasPrefix("audiosession.guard.catch")
                    && graph.ports.contains { $0.node == node.id && $0.direction == "in" }
            }
        }
    }

    /// The catching sink's `node.name`.
    func catchName() throws -> String {
        try #require(try machine.server.graph.nodes.first { $0.name.hasPrefix("audiosession.guard.catch") }?.name)
    }

    /// The ids of a process' clients, in the order in which they came.
    func clients(of process: pid_t) throws -> [Int] {
        try dump().filter { $0.processID == Int(process) }.map(\.id).sorted()
    }

    /// Every object of the server.
    func dump() throws -> [DumpedObject] {
        let path = machine.directory.path("dump.json")
        func read() throws -> [DumpedObject] {
            try machine.server.run(["sh", "-c", "pw-dump >\(path)"])
            return try JSONDecoder().decode([DumpedObject].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        }
        // Where objects come or go meanwhile, pw-dump writes more than one array.
        for _ in 0..<10 { if let objects = try? read() { return objects } }
        return try read()
    }

    func startGuard() throws {
        var environment = machine.environment
        // As in its unit: a backtrace would keep a guard that crashes, and its sinks, for many seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        run = try ToolRun(["guard"], environment: environment)
    }

    /// A program of its own, whose sound is heard on the headset.
    func play(
        _ name: String, process: Int, role: String? = nil, amplitude: Float = 0.5, on output: VirtualSink? = nil
    ) throws -> ToneGenerator {
        var properties = ["application.name": name, "application.process.id": String(process)]
        properties["media.role"] = role
        let tone = try machine.server.makeTone(name: name, amplitude: amplitude, properties: properties)
        let output = output ?? machine.headset
        try machine.server.waitUntil(name, feeds: output.name)
        output.meter.mark()
        tone.play(frames: nil)
        try output.meter.wait(loudFrames: 4_800)
        return tone
    }

    /// A program that played on the headset when that left; the speaker is metered from then on.
    func hold(_ name: String, process: Int = 11, role: String? = nil) throws -> ToneGenerator {
        let tone = try play(name, process: process, role: role)
        try loseHeadset(holding: name)
        return tone
    }

    func loseHeadset(holding name: String) throws {
        machine.speaker.meter.mark()
        machine.pullHeadset()
        try waitUntilHeld(name)
    }

    func waitUntilHeld(_ name: String) throws {
        try machine.server.waitUntil("\(name) is held") { graph in
            let targets = graph.targets(of: name)
            return !targets.isEmpty && targets.allSatisfy { $0.hasPrefix("audiosession.guard.hold") }
        }
    }

    /// The loud frames of a second on the speaker, since the mark.
    func loudFramesOnTheSpeaker() throws -> Int {
        try machine.speaker.meter.wait(frames: 48_000).loudFrames
    }

    /// Whether a second passes without a loud frame, of the first five.
    func becomesSilentOnTheSpeaker() throws -> Bool {
        for _ in 0..<5 {
            machine.speaker.meter.mark()
            if try loudFramesOnTheSpeaker() == 0 { return true }
        }
        return false
    }

    func ask(_ words: String...) throws -> [String] {
        let run = try ToolRun(["guard"] + words, environment: machine.environment)
        _ = try run.waitForEnd()
        return run.lines
    }

    /// Targets that are stored for a stream; nil where there is none.
    ///
    /// Read from the server each time: while another program binds the metadata, the rig misses changes (decision 58).
    func target(of tone: ToneGenerator) throws -> String? {
        let entry = try dump().flatMap { $0.metadata ?? [] }.first {
            $0.subject == Int(tone.nodeID) && $0.key == "target.object"
        }
        return entry.flatMap { $0.value.text ?? $0.value.number.map(String.init) }
    }

    /// Whether it gets this target; the guard cuts the links of a stream before it sets the target again.
    func gets(_ target: String, _ tone: ToneGenerator) throws -> Bool {
        for _ in 1...200 where try self.target(of: tone) == target { return true }
        return false
    }

    /// The session manager tells of a removal after it has moved the stream.
    func waitForNoTarget(of tone: ToneGenerator) throws {
        try machine.server.waitUntilMetadata(subject: tone.nodeID, key: "target.object", is: nil)
    }
}

/// An object of the server, as pw-dump shows it.
struct DumpedObject: Decodable {
    struct Value: Decodable {
        var text: String?
        var number: Int?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try? container.decode(String.self)
            number = try? container.decode(Int.self)
        }
    }

    struct Info: Decodable { var props: [String: Value]? }

    struct Entry: Decodable {
        var subject: Int
        var key: String
        var value: Value
    }

    var id: Int
    var type: String
    var info: Info?
    /// Those of a metadata object.
    var props: [String: Value]?
    /// What a metadata object has.
    var metadata: [Entry]?

    var processID: Int? { type.hasSuffix("Client") ? info?.props?["pipewire.sec.pid"]?.number : nil }
}
