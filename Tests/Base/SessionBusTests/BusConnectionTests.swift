import BusObjects
import BusRig
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import SessionBus

/// Two connections on a private bus.
@Suite struct BusConnectionTests {
    private static let name = "org.example.Test"
    private static let path = "/org/example/Test"

    private let bus: PrivateBus
    private let server: BusConnection
    private let client: BusConnection
    private let volume = Volume()

    private final class Volume: Sendable {
        let value = Mutex(0.5)
    }

    init() async throws {
        bus = try PrivateBus()
        server = try BusConnection(address: bus.address)
        client = try BusConnection(address: bus.address)
        server.export(Self.object(volume))
        #expect(await server.owns(Self.name))
    }

    private static func object(_ volume: Volume) -> BusObject {
        BusObject(
            path: path,
            interfaces: [
                BusInterface(
                    name: name,
                    methods: [
                        .init("Echo", ["v"], results: ["v"]) { .success($0) },
                        .init("Fail") { _ in .failure(BusError(name: "org.example.No", message: "not\u{1B}[2Jtoday")) },
                    ],
                    properties: [
                        .init("Title", "s") { .string("A & B") },
                        .init("Volume", "d") {
                            .double(volume.value.withLock { $0 })
                        } set: { value in
                            guard let value = value.double, value >= 0 else {
                                return .failure(.invalidArguments("0 or more"))
                            }
                            volume.value.withLock { $0 = value }
                            return .success(())
                        },
                    ],
                    signals: ["Seeked": ["x"]])
            ])
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) async -> Result<[BusValue], BusError> {
        await client.call(Self.name, Self.path, Self.name, member, arguments)
    }

    private func properties(_ member: String, _ arguments: [BusValue]) async -> Result<[BusValue], BusError> {
        await client.call(Self.name, Self.path, "org.freedesktop.DBus.Properties", member, arguments)
    }

    // MARK: Values

    @Test(
        arguments: [
            .byte(255), .bool(true), .bool(false), .int16(-3), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
            .uint64(.max), .double(-0.25), .string("Grüße\u{7}"), .string(""), .objectPath("/a/b"), .signature("a{sv}"),
            .strings([]), .strings(["a", "b"]), .structure([.int32(1), .string("x")]), .variant(.variant(.int32(1))),
            .properties(["b": .strings(["x"]), "a": .properties(["n": .int64(1)])]),
            .array(of: "(ib)", [.structure([.int32(1), .bool(false)])]),
        ] as [BusValue])
    func value_comesBackAsItWasSent(value: BusValue) async {
        #expect(await call("Echo", [.variant(value)]) == .success([.variant(value)]))
    }

    @Test func longText_isCut() async {
        let text = String(repeating: "x", count: 20_000)
        let answer = await call("Echo", [.variant(.string(text))])
        #expect(try! answer.get().first?.string?.count == 16_384)
    }

    /// What remains of the message is unread, so its array cannot be left: nothing of it is kept.
    @Test func tooManyValues_areDropped() async {
        let answer = await call("Echo", [.variant(.array(of: "i", (0..<20_000).map { .int32($0) }))])
        #expect(answer == .failure(.invalidArguments("Echo takes \"v\", not \"\"")))
    }

    // MARK: Calls

    @Test func errors_comeWithTheirNamesAndPrintableWords() async {
        #expect(await call("Fail") == .failure(BusError(name: "org.example.No", message: "not\u{FFFD}[2Jtoday")))
        guard case .failure(let error) = await call("Other") else {
            Issue.record("a method that is not there has answered")
            return
        }
        #expect(error.name == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    @Test func wrongArguments_areRefused() async {
        #expect(await call("Echo", [.string("x")]) == .failure(.invalidArguments("Echo takes \"v\", not \"s\"")))
    }

    @Test(arguments: ["no name", ""])
    func invalidNames_failAtOnce(destination: String) async {
        let answer = await client.call(destination, "/", "org.example.Test", "Echo")
        #expect(answer == .failure(.invalidArguments("the call has a name that is not valid")))
    }

    @Test func missingProgram_isAnError() async {
        guard case .failure(let error) = await client.call("org.example.Nowhere", "/", "org.example.Test", "Echo")
        else {
            Issue.record("a program that is not there has answered")
            return
        }
        #expect(error.name == "org.freedesktop.DBus.Error.ServiceUnknown")
    }

    private final class Owner: Sendable {
        let connection: Mutex<BusConnection?>
        init(_ connection: BusConnection) { self.connection = Mutex(connection) }
        /// Open once nothing else has the connection.
        let gate = DispatchSemaphore(value: 0)

        func drop() {
            gate.wait()
            _ = connection.withLock { $0.take() }
        }

        func begin(_ isInReply: Bool) async {
            guard let connection = connection.withLock({ $0 }) else { return }
            #expect(await connection.owns("org.example.Dropped"))
            guard isInReply else { return connection.perform(drop) }
            connection.call(.init("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")) { _ in self.drop() }
        }
    }

    /// The last reference is dropped on the bus's own thread, in a job or in the handler of a reply.
    @Test(arguments: [false, true])
    func connection_droppedInItsHandler_leavesTheBus(isInReply: Bool) async throws {
        let changes = client.signals(
            .init(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                firstArgument: "org.example.Dropped"))
        let owner = Owner(try BusConnection(address: bus.address))
        await owner.begin(isInReply)
        owner.gate.signal()
        for await change in changes where change.arguments.last == .string("") { break }
        #expect(owner.connection.withLock { $0 == nil })
    }

    // MARK: Properties

    @Test func properties_areReadAndSet() async throws {
        let title = await client.property("Title", of: Self.name, Self.path, at: Self.name)
        #expect(title == .success(.string("A & B")))
        let all = try await properties("GetAll", [.string(Self.name)]).get()
        #expect(all == [.properties(["Title": .string("A & B"), "Volume": .double(0.5)])])
        let set = [BusValue.string(Self.name), .string("Volume")]
        #expect(await properties("Set", set + [.variant(.double(0.75))]) == .success([]))
        #expect(volume.value.withLock { $0 } == 0.75)
        #expect(await properties("Set", set + [.variant(.double(-1))]) == .failure(.invalidArguments("0 or more")))
        #expect(
            await properties("Set", set + [.variant(.string("loud"))])
                == .failure(
                    .invalidArguments("Volume takes \"d\"")))
        let readOnly = await properties("Set", [.string(Self.name), .string("Title"), .variant(.string("x"))])
        #expect(
            readOnly
                == .failure(
                    BusError(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "Title is read-only")))
    }

    @Test func introspection_namesEverything() async throws {
        let answer = await client.call(
            Self.name, Self.path, "org.freedesktop.DBus.Introspectable", "Introspect")
        let text = try #require(try answer.get().first?.string)
        for word in [
            "<interface name=\"org.example.Test\">", "<method name=\"Echo\">", "<signal name=\"Seeked\">",
            "<property name=\"Volume\" type=\"d\" access=\"readwrite\"/>",
            "<property name=\"Title\" type=\"s\" access=\"read\"/>",
        ] { #expect(text.contains(word), "\(word)") }
    }

    // MARK: Signals

    @Test func signals_thatMatch_areHeardInOrder() async {
        let signals = client.signals(.init(sender: Self.name, path: Self.path, member: "Seeked"))
        // The match is installed before the answer to a later call.
        _ = await call("Echo", [.variant(.int32(1))])
        server.emit(path: "/elsewhere", interface: Self.name, member: "Seeked", [.int64(1)])
        server.emit(path: Self.path, interface: Self.name, member: "Other", [.int64(2)])
        server.emit(path: Self.path, interface: Self.name, member: "Seeked", [.int64(3)])
        server.emit(path: Self.path, interface: Self.name, member: "Seeked", [.int64(4)])
        var heard: [[BusValue]] = []
        for await signal in signals {
            heard.append(signal.arguments)
            if heard.count == 2 { break }
        }
        #expect(heard == [[.int64(3)], [.int64(4)]])
    }

    @Test func twoWatches_ofTheSame_bothHear() async {
        let match = BusConnection.Match(sender: Self.name, member: "PropertiesChanged")
        let (first, second) = (client.signals(match), client.signals(match))
        _ = await call("Echo", [.variant(.int32(1))])
        server.emitPropertiesChanged(path: Self.path, interface: Self.name, ["Volume": .double(1)])
        for signals in [first, second] {
            for await signal in signals {
                #expect(signal.arguments[1].properties == ["Volume": .double(1)])
                break
            }
        }
    }

    @Test func removedWatch_hearsNothing() async {
        let heard = Mutex(0)
        let registration = client.watch(.init(member: "Seeked")) { _ in heard.withLock { $0 += 1 } }
        let signals = client.signals(.init(member: "Other"))
        _ = await call("Echo", [.variant(.int32(1))])
        client.remove(registration)
        _ = await call("Echo", [.variant(.int32(1))])
        server.emit(path: Self.path, interface: Self.name, member: "Seeked", [.int64(1)])
        server.emit(path: Self.path, interface: Self.name, member: "Other")
        for await _ in signals { break }
        #expect(heard.withLock { $0 } == 0)
    }

    // MARK: Names

    @Test func owners_areToldWithTheirChanges_andTheirProcess() async throws {
        let (owners, continuation) = AsyncStream<String>.makeStream()
        client.watchOwners(of: "org.example") { name, owner in
            continuation.yield("\(name) \(owner == nil ? "left" : "is here")")
        }
        var iterator = owners.makeAsyncIterator()
        #expect(await iterator.next() == "org.example.Test is here")
        #expect(await server.owns("org.example.Test.Second"))
        #expect(await iterator.next() == "org.example.Test.Second is here")
        #expect(await !client.owns(Self.name))
        let bus = "org.freedesktop.DBus"
        server.call(.init(bus, "/org/freedesktop/DBus", bus, "ReleaseName", [.string(Self.name)]))
        #expect(await iterator.next() == "org.example.Test left")
        let process = await withCheckedContinuation { continuation in
            client.getProcess(of: "org.example.Test.Second") { continuation.resume(returning: $0) }
        }
        #expect(process == UInt32(getpid()))
    }

    // MARK: Ends

    @Test func busEnds_callsFail() async {
        // It answers nothing before the bus has gone.
        bus.stop()
        guard case .failure = await call("Echo", [.variant(.int32(1))]) else {
            Issue.record("a bus that is not there has answered")
            return
        }
        #expect(await call("Echo", [.variant(.int32(1))]) == .failure(.disconnected))
    }

    @Test func closedConnection_callsNothing_andClosesOnce() {
        client.close()
        client.close()
        client.call(.init(Self.name, Self.path, Self.name, "Echo")) { _ in Issue.record("it was called") }
    }

    /// Also where the bus has not accepted the connection yet.
    @Test(arguments: [false, true]) func callJustBeforeTheEnd_isSent(isAccepted: Bool) async throws {
        let heard = Mutex(0)
        client.watch(.init(member: "Last")) { _ in heard.withLock { $0 += 1 } }
        _ = await call("Echo", [.variant(.int32(1))])
        let last = try BusConnection(address: bus.address)
        if isAccepted { #expect(await last.owns("org.example.Last")) }
        last.emit(path: "/", interface: Self.name, member: "Last")
        last.close(timeoutSeconds: 60)
        // The bus has read the signal when it answers this.
        _ = await call("Echo", [.variant(.int32(1))])
        #expect(heard.withLock { $0 } == 1)
    }

    @Test func noBus_isSaid() {
        #expect(throws: BusConnection.Unavailable.self) {
            try BusConnection(address: "unix:path=/nowhere/bus")
        }
        let error = #expect(throws: BusConnection.Unavailable.self) {
            try BusConnection(address: bus.address, library: "libnothing.so.0")
        }
        #expect(error?.reason.contains("libnothing.so.0") == true)
    }
}
