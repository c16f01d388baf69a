import AudioModel
import BusObjects
import BusRig
import GuardCore
import SessionBus
import TestSupport
import Testing

@testable import GuardRuntime

/// `org.openavfaudio.Guard1` on a private bus.
@Suite(.timeLimit(.minutes(1))) struct GuardServiceTests {
    @Test func requests_reachTheGuard_andItsAnswerIsTheReply() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        try await rig.waitForTheService()
        let later = WallClock.now + 3600 * 1_000_000
        #expect(await rig.call("Release", [.string("mpv")]) == .success([.uint32(2)]))
        #expect(await rig.call("Release", [.string("")]) == .success([.uint32(2)]))
        #expect(await rig.call("LeaveAlone", [.string("mpv"), .bool(true)]) == .success([]))
        #expect(await rig.call("LeaveAlone", [.string("mpv"), .bool(false)]) == .success([]))
        #expect(await rig.call("OffUntil", [.uint64(later)]) == .success([]))
        #expect(await rig.call("OffUntil", [.uint64(0)]) == .success([]))
        #expect(await rig.call("On") == .success([]))
        #expect(
            rig.requests.entries == [
                .release(program: "mpv"), .release(program: nil), .leaveAlone(program: "mpv", isLeft: true),
                .leaveAlone(program: "mpv", isLeft: false), .off(until: later), .off(until: nil), .on,
            ])
    }

    @Test func refusal_isAnErrorWithItsSentence() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address, answer: .failure(.init(words: "the disk is full")))
        try await rig.waitForTheService()
        let result = await rig.call("On")
        #expect(
            result == .failure(BusError(name: "org.freedesktop.DBus.Error.Failed", message: "the disk is full")))
    }

    static let hostile: [(String, [BusValue])] = [
        ("LeaveAlone", [.string(""), .bool(true)]), ("LeaveAlone", [.string("a\nb"), .bool(true)]),
        ("LeaveAlone", [.string("a\u{1B}[2J"), .bool(true)]), ("LeaveAlone", [.string("~.*"), .bool(true)]),
        ("LeaveAlone", [.string("!mpv"), .bool(true)]),
        ("LeaveAlone", [.string(String(repeating: "a", count: 65)), .bool(true)]), ("LeaveAlone", [.string("mpv")]),
        ("Release", [.string(String(repeating: "a", count: 129))]), ("Release", []), ("Release", [.uint32(7)]),
        ("OffUntil", [.uint64(1)]), ("OffUntil", [.uint64(.max)]), ("OffUntil", [.string("18:00")]),
        ("OffUntil", [.uint64(1_900_000_000)]), ("On", [.bool(true)]),
    ]

    @Test(arguments: hostile.indices)
    func hostileArguments_areRefused(index: Int) async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        try await rig.waitForTheService()
        let (member, arguments) = Self.hostile[index]
        let result = await rig.call(member, arguments)
        #expect(throws: BusError.self, "\(member) \(arguments)") { try result.get() }
        if case .failure(let error) = result { #expect(error.name == "org.freedesktop.DBus.Error.InvalidArgs") }
        #expect(rig.requests.entries == [])
    }

    @Test func programThatAsksTooOften_isTold() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address, rate: RequestRate(burst: 2, perSecond: 0.001))
        try await rig.waitForTheService()
        #expect(await rig.call("On") == .success([]))
        #expect(await rig.call("On") == .success([]))
        guard case .failure(let error) = await rig.call("On") else { throw BusError.disconnected }
        #expect(error.name == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(rig.requests.count == 2)
    }

    @Test func properties_sayWhatIsHeld_inPrintableTexts() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        try await rig.waitForTheService()
        var status = GuardStatus.holding(["m\u{7}v"])
        (status.watch, status.watchedOutput) = (.watched, "Head\u{7}set")
        status.armed = ["Speak\u{7}er"]
        status.scope = .off(until: 5_000_000)
        rig.show(status)
        let held = try #require(try await rig.property("Held").members)
        let stream = try #require(held.first?.properties)
        #expect(held.count == 1)
        #expect(stream["program"] == .string("m\u{FFFD}v"))
        #expect(stream["pid"] == .uint32(10))
        #expect(stream["reasons"] == .strings(["Head\u{FFFD}set left"]))
        #expect(stream["isHeard"] == .bool(false) && stream["isParked"] == .bool(true))
        let since = try #require(stream["since"]?.integer)
        #expect(abs(Int64(WallClock.now) - since) < 60_000_000)
        #expect(try await rig.property("WatchedOutput") == .string("Head\u{FFFD}set"))
        #expect(try await rig.property("Watch") == .string("watched"))
        #expect(try await rig.property("Muted") == .strings(["Speak\u{FFFD}er"]))
        #expect(try await rig.property("IsOff") == .bool(true))
        #expect(try await rig.property("OffUntil") == .uint64(5_000_000))
        #expect(try await rig.property("Version") == .uint32(1))
    }

    @Test func change_isSignalled_withWhatHasChangedAlone() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        try await rig.waitForTheService()
        let signals = History<[String: BusValue]>()
        let watcher = try BusConnection(address: bus.address)
        watcher.watch(
            .init(
                path: GuardService.path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                firstArgument: GuardService.name)
        ) { signals.append($0.arguments[1].properties ?? [:]) }
        // The match is there once a later call of the same connection is answered.
        _ = await watcher.owns("com.example.watcher")
        var status = GuardStatus.holding(["mpv"], seconds: 5)
        rig.show(status)
        // Time passes, and nothing else.
        for index in status.held.indices { status.held[index] = status.held[index].timeless }
        rig.show(status)
        rig.show(status)
        status.watch = .watched
        rig.show(status)
        status.held = []
        rig.show(status)
        let all = try signals.wait(for: "the last change") { $0.count >= 3 }
        #expect(all.map { $0.keys.sorted() } == [["Held"], ["Watch"], ["Held"]])
    }
}
