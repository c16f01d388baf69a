import AudioModel
import HostInterface
import Testing

@testable import HostPipeWire

/// What follows from a server's facts, without a server: the tests of its parts are beside these.
@Suite struct PipeWireEventStateTests {
    private typealias Fixture = PipeWireInventoryTests
    private static let stream = StreamID(number: 1)
    private static let handle = PipeWireStreamHandle(pointer: OpaquePointer(bitPattern: 8)!)
    private static let usb = PipeWireStreamTracker.Target(uid: "usb", nodeID: 30, serial: 1030, routeIndex: nil)

    /// A server that answers every round trip at once.
    private struct Server {
        var state = PipeWireEventState(followsALoss: false)
        var time = HostTime.zero

        init() {
            _ = state.update(at: time) { state in
                state.learnOwnClient(1)
                state.appeared(Self.manager)
            }
        }

        private static let manager = PipeWireObject.client(id: 9, .init(processID: nil, name: "WirePlumber"))

        /// - Returns: what the shim was to do, but for round trips and timers.
        @discardableResult
        mutating func change(_ body: (inout PipeWireEventState) -> Void) -> [PipeWireEventState.Command] {
            var others: [PipeWireEventState.Command] = []
            var open = state.update(at: time, body).1
            while !open.isEmpty {
                switch open.removeFirst() {
                case .server(.sync(let roundTrip)):
                    open += state.update(at: time) { $0.receive(.synced(roundTrip)) }.1
                case .server(.arm), .endRelease: break
                case let command: others.append(command)
                }
            }
            return others
        }

        /// The first report is asked for.
        mutating func open() { change { $0.schedule(.report, at: .zero) } }

        @discardableResult
        mutating func wait(milliseconds: UInt64) -> [PipeWireEventState.Command] {
            time = time.advanced(byMilliseconds: milliseconds)
            return change { $0.timerFired() }
        }

        @discardableResult
        mutating func setManager(_ isThere: Bool) -> [PipeWireEventState.Command] {
            change { if isThere { $0.appeared(Self.manager) } else { $0.removed(.other(id: 9)) } }
        }
    }

    /// It plays on a USB sink.
    private func playing() -> Server {
        var server = Server()
        server.change { state in
            state.apply(.nodeChanged(Fixture.node(30, "usb")))
            state.apply(.defaultNamed(.output, "usb"))
            state.add(Self.stream, Self.handle)
            state.track(Self.stream) { $0.beginLink(to: [Self.usb]) }
            state.track(Self.stream) { $0.linked(nodeID: 70) }
            state.setRunning(true, Self.stream)
        }
        server.open()
        server.wait(milliseconds: 0)
        _ = server.state.takeEvents()
        return server
    }

    // MARK: Reports

    @Test func nothingIsReported_beforeItIsAskedFor_andTheSameInventoryOnce() {
        var server = Server()
        #expect(server.state.progress == .waiting)
        server.change { $0.apply(.nodeChanged(Fixture.node(30, "usb"))) }
        #expect(server.state.progress == .settled)
        server.change { $0.apply(.defaultNamed(.output, "usb")) }
        #expect(server.state.progress == .complete)
        #expect(server.state.takeEvents().isEmpty)
        #expect(!server.state.hasReported)
        server.open()
        server.wait(milliseconds: 0)
        #expect(server.state.hasReported)
        #expect(server.state.takeEvents() == [.inventoryChanged(server.state.facts.inventory, losses: [])])
        server.change { $0.begin() }
        #expect(server.state.takeEvents().isEmpty)
    }

    @Test func removedSink_isALossAtOnce_andWithTheInventoryAtTheEndOfTheBurst() {
        let loss = PortLoss(Self.stream, portUID: "usb")
        var (state, commands) = (playing().state, [PipeWireEventState.Command]())
        commands = state.update(at: .zero) { $0.apply(.nodeRemoved(id: 30)) }.1
        #expect(commands.contains(.sync))
        #expect(state.takeEvents() == [.portLost(loss)])
        _ = state.update(at: .zero) { $0.receive(.synced(.burst)) }
        #expect(state.takeEvents() == [.inventoryChanged(state.facts.inventory, losses: [loss])])
    }

    @Test func lossOfTheServer_isReportedOnce_andEndsTheStreams() {
        var server = playing()
        for _ in 0..<2 { server.change { $0.lost("it has crashed", lacksDescriptors: false) } }
        #expect(server.state.progress == .lost)
        #expect(server.state.targets(of: Self.stream).isEmpty)
        #expect(server.state.takeEvents() == [.connectionLost("")])
    }

    @Test func lossBeforeTheFirstReport_isReportedWithIt() {
        var server = Server()
        server.change { $0.lost("it has crashed", lacksDescriptors: true) }
        #expect(server.state.takeEvents().isEmpty)
        server.open()
        server.wait(milliseconds: 0)
        #expect(
            server.state.takeEvents() == [
                .connectionLost("this program has reached its limit of open files; raise it (ulimit -n), or close some")
            ])
    }

    // MARK: Releases

    @Test func release_isOver_whenTheServerHasReadTheNewest_orIsFrozen() {
        func ends(_ change: (inout Server) -> [PipeWireEventState.Command]) -> Bool {
            var server = playing()
            _ = server.state.update(at: server.time) {
                $0.expectReading(of: .release(1))
                $0.expectReading(of: .release(2))
            }
            #expect(server.state.awaitsReading)
            let before = server.time
            _ = change(&server)
            #expect(server.time >= before)
            return !server.state.awaitsReading
        }
        #expect(!ends { $0.change { $0.claimsRead(1) } })
        #expect(ends { $0.change { $0.claimsRead(2) } })
        #expect(ends { $0.wait(milliseconds: 1000) })
        #expect(ends { $0.change { $0.lost("it has crashed", lacksDescriptors: false) } })
    }

    @Test func formerProfiles_areRead_whenTheServerHasAnsweredTheRoundTripAfterThem() {
        var server = Server()
        server.change { state in
            for fact in PipeWireHeadsetTests.inA2DP { state.apply(fact) }
            state.apply(.profileRequested(deviceID: 9, 2))
            state.apply(PipeWireHeadsetTests.profiles(active: 2))
        }
        let (waits, commands) = server.state.update(at: server.time) { $0.restoreProfiles() }
        let asked = commands.filter { $0 == .setProfile(deviceID: 9, 1) || $0 == .server(.sync(.requests)) }
        #expect(waits && asked == [.setProfile(deviceID: 9, 1), .server(.sync(.requests))])
        // The number is of the other connection.
        server.change { $0.claimsRead(1) }
        #expect(server.state.awaitsReading)
        let ends = server.change { $0.receive(.synced(.requests)) }
        #expect(!server.state.awaitsReading && ends == [])
    }

    // MARK: Changes that the server keeps back

    @Test func unheardDefault_isReported_afterAProgramHasConnected() {
        var server = playing()
        server.change { $0.apply(.nodeChanged(Fixture.node(31, "speaker"))) }
        #expect(server.state.facts.inventory.defaultOutputUID == "usb")
        let program = PipeWireObject.client(id: 50, .init(processID: 7, name: "mixer"))
        server.change { $0.receive(.object(program)) }
        #expect(server.wait(milliseconds: 249) == [])
        #expect(server.wait(milliseconds: 1) == [.readMetadata])
        server.change { state in
            state.receive(.metadataFound(.choice(.output), "speaker"))
            state.receive(.metadataRead(isComplete: true))
        }
        #expect(server.state.facts.inventory.defaultOutputUID == "speaker")
        #expect(server.wait(milliseconds: 1000) == [.readMetadata])
    }

    // MARK: The session manager's ranking

    @Test func ranking_isReadElsewhere_onceForEachSessionManager_andBelongsToTheBurst() {
        var server = Server()
        func manager(_ process: UInt32) -> PipeWireObject {
            .client(id: 9, .init(processID: process, name: "WirePlumber"))
        }
        func names(_ commands: [PipeWireEventState.Command]) -> [UInt32] {
            commands.compactMap { if case .server(.readRanking(let process)) = $0 { process } else { nil } }
        }
        func receive(_ message: PipeWireMessage) -> [PipeWireEventState.Command] {
            server.state.update(at: .zero) { $0.receive(message) }.1
        }
        let (asked, commands) = server.state.update(at: .zero) { state in
            state.appeared(manager(70))
            state.begin()
            return state.progress
        }
        #expect(asked == .waiting && names(commands) == [70] && commands.contains(.sync))
        #expect(receive(.synced(.burst)).contains(.sync))
        #expect(server.state.progress == .waiting)
        let ranking = WirePlumberRankingReader.Ranking(process: 70, rules: .wirePlumber04, stored: ["usb"])
        #expect(receive(.rankingRead(ranking)) == [.server(.arm(.zero))])
        _ = receive(.timerFired)
        #expect(receive(.synced(.burst)).contains(.sync))
        _ = receive(.synced(.burst))
        #expect(server.state.progress == .settled)
        #expect(names(server.change { $0.appeared(manager(70)) }) == [])
        #expect(names(server.change { $0.removed(.other(id: 9)) }) == [])
        #expect(names(server.change { $0.appeared(manager(71)) }) == [71])
    }

    // MARK: A session manager that starts

    @Test func pause_isAHold_unlessASessionManagerStarts() {
        var server = playing()
        server.setManager(false)
        server.setManager(true)
        server.change { $0.paused(Self.stream) }
        server.wait(milliseconds: 200)
        #expect(server.state.takeEvents().isEmpty)
        // The start is over.
        server.wait(milliseconds: 20_000)
        server.change { $0.linkStandingStreams([:]) }
        server.change { $0.paused(Self.stream) }
        server.wait(milliseconds: 200)
        #expect(server.state.takeEvents() == [.streamHeld(Self.stream)])
    }

    @Test func streamThatStands_whileASessionManagerStarts_getsAnotherNode() {
        var server = playing()
        let standing = [Self.stream: PipeWireManagerStart.Progress(cycles: 7, isLinked: true)]
        server.setManager(false)
        #expect(server.setManager(true) == [])
        #expect(server.wait(milliseconds: 0) == [.look([Self.stream: Self.handle])])
        #expect(server.change { $0.linkStandingStreams(standing) } == [])
        #expect(server.wait(milliseconds: 300) == [.look([Self.stream: Self.handle])])
        #expect(
            server.change { $0.linkStandingStreams(standing) }
                == [
                    .breakNode(Self.handle), .unlink(Self.handle),
                    .watch(Self.handle, [PipeWireEventState.WatchedTarget(nodeID: 30)]),
                ])
        // It is not linked yet.
        #expect(server.wait(milliseconds: 300) == [.look([:])])
    }
}

extension PipeWireEventState.Command {
    fileprivate static let sync = Self.server(.sync(.burst))
    fileprivate static let readMetadata = Self.server(.readMetadata)
}

/// The messages of a server, as tests say them.
extension PipeWireEventState {
    mutating func apply(_ fact: PipeWireFact) { receive(.measured(fact)) }
    mutating func appeared(_ object: PipeWireObject) { receive(.object(object)) }
    mutating func removed(_ object: PipeWireObject.Removal) { receive(.removed(object)) }
    mutating func read(_ part: PipeWireReadings.Part, of device: UInt32) { receive(.reading(part, deviceID: device)) }
    mutating func learnOwnClient(_ id: UInt32) { receive(.ownClient(id)) }
    mutating func schedule(_ purpose: PipeWireDeadlines.Purpose, at time: HostTime) {
        server.deadlines.set(purpose, at: time)
    }
    mutating func timerFired() { receive(.timerFired) }
    mutating func claimsRead(_ seq: Int32) { receive(.claimsRead(seq)) }
    mutating func lost(_ words: String, lacksDescriptors: Bool) {
        receive(.lost(words, lacksDescriptors: lacksDescriptors))
    }
}
