import AudioModel
import HostInterface
import TestSupport
import Testing

@testable import HostPipeWire

/// Anything that a server and a session may do, in any order, to a `PipeWireEventState`.
@Suite struct PipeWireEventScriptTests {
    @Test(arguments: 1...200)
    func anyScript_keepsTheInvariants(seed: Int) {
        var script = Script(seed: UInt64(seed))
        for _ in 0..<150 { script.step() }
        script.loseServer()
        for _ in 0..<20 { script.step() }
    }

    /// Answers the commands as the shim does, late, and checks what comes out after each step.
    private struct Script {
        private typealias Fixture = PipeWireInventoryTests
        private var random: Seeded
        private var state = PipeWireEventState(followsALoss: false)
        private var time = HostTime.zero
        private var syncs: [PipeWireServerState.RoundTrip] = []
        private var streams: [StreamID: PipeWireStreamHandle] = [:]
        private var hasManager = true
        private var isOpen = false
        private var losses = 0
        private var trace: [String] = []

        init(seed: UInt64) {
            random = Seeded(seed: seed)
            _ = state.update(at: time) { $0.learnOwnClient(1) }
            setManager(true)
        }

        private mutating func setManager(_ isThere: Bool) {
            let manager = PipeWireObject.client(id: 9, .init(processID: nil, name: "WirePlumber"))
            apply("manager \(isThere)") { if isThere { $0.appeared(manager) } else { $0.removed(.other(id: 9)) } }
        }

        mutating func loseServer() {
            apply("lost") { $0.lost("it has crashed", lacksDescriptors: false) }
            apply("open") { $0.schedule(.report, at: .zero) }
            isOpen = true
            apply("time") { $0.timerFired() }
            #expect(losses == 1, "\(trace)")
        }

        mutating func step() {
            let node = UInt32.random(in: 30...33, using: &random)
            let stream = StreamID(number: .random(in: 1...3, using: &random))
            switch Int.random(in: 0..<22, using: &random) {
            case 0: apply("node \(node)") { $0.apply(.nodeChanged(Fixture.node(node, "usb\(node)"))) }
            case 1: apply("no node \(node)") { $0.apply(.nodeRemoved(id: node)) }
            case 2: for fact in Fixture.laptop { apply("laptop") { $0.apply(fact) } }
            case 3:
                let (speaker, jack) = (Bool.random(using: &random), Bool.random(using: &random))
                let fact = Fixture.routesFact(speaker ? .yes : .no, jack ? .yes : .no, active: jack ? 1 : 0)
                apply("routes \(speaker) \(jack)") { $0.apply(fact) }
            case 4: apply("default \(node)") { $0.apply(.defaultNamed(.output, "usb\(node)")) }
            case 5: apply("no default") { $0.apply(.defaultNamed(.output, nil)) }
            case 6:
                hasManager.toggle()
                setManager(hasManager)
            case 7...10: answerSync()
            case 11:
                time = time.advanced(byMilliseconds: [1, 100, 300, 2000, 8000].randomElement(using: &random)!)
                apply("time") { $0.timerFired() }
            case 12:
                isOpen = true
                apply("open") { $0.schedule(.report, at: .zero) }
            case 13: add(stream)
            case 14:
                streams[stream] = nil
                apply("forget \(stream.number)") { $0.forget(stream) }
            case 15: link(stream)
            case 16: apply("linked") { $0.track(stream) { $0.linked(nodeID: 70) } }
            case 17: apply("paused") { $0.paused(stream) }
            case 18: apply("cut") { $0.track(stream) { $0.cut(target: 0) } }
            case 19: apply("lost target") { $0.track(stream) { $0.lost(target: 0) } }
            case 20:
                let isRunning = Bool.random(using: &random)
                apply("running \(isRunning)") { $0.setRunning(isRunning, stream) }
            default: apply("failed") { $0.failed(stream, "refused") }
            }
        }

        private mutating func answerSync() {
            guard !syncs.isEmpty else { return }
            let (roundTrip, isReading) = (syncs.removeFirst(), Int.random(in: 0..<4, using: &random) == 0)
            apply("reading \(isReading)") { $0.read(isReading ? .begun : .over, of: 77) }
            apply("synced") { $0.receive(.synced(roundTrip)) }
        }

        private mutating func add(_ stream: StreamID) {
            guard streams[stream] == nil else { return }
            let handle = PipeWireStreamHandle(pointer: OpaquePointer(bitPattern: Int(stream.number) * 8)!)
            streams[stream] = handle
            apply("add \(stream.number)") { $0.add(stream, handle) }
        }

        private mutating func link(_ stream: StreamID) {
            guard streams[stream] != nil,
                let port = state.facts.inventory.outputs.randomElement(using: &random),
                let target = state.facts.target(uid: port.uid, .output)
            else { return }
            apply("link \(stream.number) \(port.uid)") { $0.track(stream) { $0.beginLink(to: [target]) } }
        }

        private mutating func apply(_ what: String, _ change: (inout PipeWireEventState) -> Void) {
            trace.append(what)
            let wasLost = state.isLost
            var open = state.update(at: time, change).1
            while !open.isEmpty {
                let command = open.removeFirst()
                check(command)
                switch command {
                case .server(.sync(let roundTrip)): syncs.append(roundTrip)
                case .look(let handles):
                    let cycles = UInt32.random(in: 0...1, using: &random)
                    let progress = handles.mapValues { _ in
                        PipeWireManagerStart.Progress(cycles: cycles, isLinked: true)
                    }
                    open += state.update(at: time) { $0.linkStandingStreams(progress) }.1
                default: break
                }
            }
            for event in state.takeEvents() { check(event, afterLoss: wasLost && losses > 0) }
        }

        private func check(_ command: PipeWireEventState.Command) {
            switch command {
            case .closeGate(let handle), .openGate(let handle), .breakNode(let handle), .unlink(let handle):
                #expect(streams.values.contains(handle), "\(command) \(trace)")
            case .watch(let handle, let targets):
                #expect(streams.values.contains(handle) && !targets.isEmpty, "\(command) \(trace)")
            case .makeNode(let id, let handle, let channels):
                #expect(streams[id] == handle && !channels.isEmpty, "\(command) \(trace)")
            case .addLink(let id, let handle, _, _, _): #expect(streams[id] == handle, "\(command) \(trace)")
            case .setRoute(let id, _, _, _): #expect(streams[id] != nil, "\(command) \(trace)")
            case .look(let handles):
                #expect(handles.allSatisfy { streams[$0.key] == $0.value }, "\(command) \(trace)")
            case .server, .destroyLink, .setProfile, .endRelease: break
            }
        }

        private mutating func check(_ event: HostEvent, afterLoss: Bool) {
            #expect(isOpen, "nothing before the first report: \(event) \(trace)")
            switch event {
            case .connectionLost: losses += 1
            case .inventoryChanged(let inventory, let lost):
                #expect(!afterLoss, "\(event) \(trace)")
                #expect(lost.allSatisfy { streams[$0.stream] != nil }, "\(event) \(trace)")
                #expect(Set(inventory.ports.map(\.uid)).count == inventory.ports.count, "\(trace)")
            case .connectionRestored: Issue.record("it follows no loss: \(trace)")
            default: break
            }
            #expect(losses <= 1, "\(trace)")
        }
    }
}
