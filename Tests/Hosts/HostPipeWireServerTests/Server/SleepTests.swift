import AudioModel
import CMockLogin
import HostDiagnosis
import HostInterface
import HostPipeWire
import PipeWireRig
import SleepWatch
import TestSupport
import Testing

extension ServerTests {
    /// The machine's sleep, announced by a stand-in for logind on the rig's bus.
    @Suite struct SleepTests {
        @Test func sleep_isDelayedUntilAllowed_andBothAreTold_twice() throws {
            let server = try PrivatePipeWire.start()
            let login = try MockLogin(server)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            for _ in 0..<2 {
                let start = client.log.count
                #expect(login.wait(forInhibitors: 1))
                login.prepareForSleep(true)
                try client.log.wait(for: "the announcement", from: start) { $0.sleep == [.sleepAnnounced] }
                #expect(login.inhibitors == 1)
                client.host.allowSleep()
                #expect(login.wait(forInhibitors: 0))
                login.prepareForSleep(false)
                try client.log.wait(for: "waking", from: start) { $0.sleep == [.sleepAnnounced, .wokeFromSleep] }
            }
            #expect(login.wait(forInhibitors: 1))
            #expect(login.newest.hasPrefix("sleep|"))
            #expect(login.newest.hasSuffix("|pausing audio|delay"))
            #expect(try #require(client.host.diagnosis).sleepCaveat == nil)
            let begin = ContinuousClock.now
            client.host.shutdown()
            #expect(ContinuousClock.now - begin < .seconds(2))
            #expect(login.wait(forInhibitors: 0))
        }

        @Test func allowance_thatNeverComes_holdsTheMachineForTwoSeconds() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let login = try MockLogin(server)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            // One that answers nothing is not kept for the next announcement.
            client.host.allowSleep()
            #expect(login.wait(forInhibitors: 1))
            let begin = ContinuousClock.now
            login.prepareForSleep(true)
            #expect(login.wait(forInhibitors: 0))
            let held = ContinuousClock.now - begin
            // Not before, and long before logind's own 5 s on a loaded machine.
            #expect(held >= .seconds(2) && held < .seconds(4), "\(held)")
            #expect(client.log.entries.sleep == [.sleepAnnounced])
        }

        @Test func sleep_thatIsCalledOff_isWaking_andTheInhibitorStays() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let login = try MockLogin(server)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            #expect(login.wait(forInhibitors: 1))
            login.prepareForSleep(true)
            login.prepareForSleep(true)
            login.prepareForSleep(false)
            login.prepareForSleep(false)
            try client.log.wait(for: "waking") { $0.sleep == [.sleepAnnounced, .wokeFromSleep] }
            client.host.allowSleep()
            login.prepareForSleep(true)
            // The allowance was the first announcement's.
            try client.log.wait(for: "the second announcement") { $0.sleep.count == 3 }
            #expect(login.inhibitors == 1)
            client.host.allowSleep()
            #expect(login.wait(forInhibitors: 0))
        }

        @Test func logind_thatEndsDuringSleep_isWaking_andItsSuccessorIsWatched() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            var login: MockLogin? = try MockLogin(server)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            #expect(login?.wait(forInhibitors: 1) == true)
            login?.prepareForSleep(true)
            try client.log.wait(for: "the announcement") { $0.sleep == [.sleepAnnounced] }
            login = nil
            try client.log.wait(for: "waking") { $0.sleep == [.sleepAnnounced, .wokeFromSleep] }
            let successor = try MockLogin(server)
            #expect(successor.wait(forInhibitors: 1))
            successor.prepareForSleep(true)
            try client.log.wait(for: "the second announcement") { $0.sleep.count == 3 }
        }

        @Test func bus_thatDiesAndComesBack_isWatchedAgain() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            var login: MockLogin? = try MockLogin(server)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            #expect(login?.wait(forInhibitors: 1) == true)
            login?.prepareForSleep(true)
            try client.log.wait(for: "the announcement") { $0.sleep == [.sleepAnnounced] }
            server.killBus()
            try client.log.wait(for: "waking") { $0.sleep == [.sleepAnnounced, .wokeFromSleep] }
            guard let reason = client.host.diagnosis?.sleepCaveat else {
                Issue.record("still watched")
                return
            }
            #expect(reason.contains("the system bus is away"))
            login = nil
            try server.startBus()
            let successor = try MockLogin(server)
            #expect(successor.wait(forInhibitors: 1))
            successor.prepareForSleep(true)
            try client.log.wait(for: "the second announcement") { $0.sleep.count == 3 }
            server.killBus()
            let begin = ContinuousClock.now
            client.host.shutdown()
            #expect(ContinuousClock.now - begin < .seconds(2))
        }

        @Test func bus_thatIsNotThere_isNoReasonNotToPlay() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let client = try Client(server, sleepBus: .address("unix:path=/nowhere/bus"))
            #expect(client.host.diagnosis?.sleepCaveat == "no system bus (No such file or directory)")
            client.host.allowSleep()
            client.host.shutdown()
            #expect(client.log.entries.sleep == [])
        }

        @Test func bus_withoutLogind_isWatchedInVain() throws {
            let server = try PrivatePipeWire.start(.withoutSessionManager)
            let client = try Client(server, sleepBus: .address(server.busAddress))
            guard let reason = client.host.diagnosis?.sleepCaveat else {
                Issue.record("watched")
                return
            }
            #expect(reason.hasPrefix("not delayed"))
        }

        @Test func library_thatIsMissing_isSaid() throws {
            let absence = #expect(throws: SleepUnavailable.self) {
                _ = try LogindSleep(library: "libnone.so.0") { _ in }
            }
            #expect(absence?.reason.contains("libnone.so.0") == true)
        }
    }
}

/// The stand-in; it leaves the bus with the last reference.
///
/// `@unchecked Sendable`: the C side locks.
private final class MockLogin: @unchecked Sendable {
    private let pointer: OpaquePointer

    struct NotStarted: Error, CustomStringConvertible {
        let description =
            "The stand-in for logind needs libsystemd-dev when it is built: run dev/install-packages build."
    }

    init(_ server: PrivatePipeWire) throws {
        guard let pointer = mock_login_start(server.busAddress) else { throw NotStarted() }
        self.pointer = pointer
    }

    deinit { mock_login_stop(pointer) }

    var inhibitors: Int { Int(mock_login_inhibitors(pointer)) }

    /// The newest Inhibit's arguments, "what|who|why|mode".
    var newest: String { String(cString: mock_login_newest(pointer)) }

    func prepareForSleep(_ isBeginning: Bool) { mock_login_prepare_for_sleep(pointer, isBeginning) }

    /// 20 s: far above what a loaded machine needs.
    func wait(forInhibitors count: Int) -> Bool { mock_login_wait_for_inhibitors(pointer, Int32(count), 20_000) }
}

extension [HostEvent] {
    fileprivate var sleep: [HostEvent] { filter { $0 == .sleepAnnounced || $0 == .wokeFromSleep } }
}
