import BusRig
import Foundation
import PipeWireRig
import SessionBus
import TestSupport
import Testing

/// A guard that its user turns off and on, over the bus and with the command.
@Suite("audiosession guard off and on", .ownThread, .serialized)
struct GuardOffTests {
    private static let name = "org.openavfaudio.Guard1"
    private static let path = "/org/openavfaudio/Guard1"

    private let scene: GuardScene
    private let bus: BusConnection

    init() throws {
        scene = try GuardScene()
        bus = try BusConnection(address: scene.machine.server.busAddress)
        let owners = History<String>()
        bus.watchOwners(of: Self.name) { _, owner in if let owner { owners.append(owner) } }
        try owners.wait(for: "the guard's service") { !$0.isEmpty }
    }

    @discardableResult
    private func call(_ member: String, _ arguments: BusValue...) throws -> [BusValue] {
        let replies = History<Result<[BusValue], BusError>>()
        bus.call(.init(Self.name, Self.path, Self.name, member, arguments)) { replies.append($0) }
        return try replies.wait(for: "an answer to \(member)") { !$0.isEmpty }[0].get()
    }

    private func property(_ name: String) throws -> BusValue {
        let replies = History<Result<BusValue, BusError>>()
        bus.getProperty(name, of: Self.name, Self.path, at: Self.name) { replies.append($0) }
        return try replies.wait(for: "the property \(name)") { !$0.isEmpty }[0].get()
    }

    @Test func headphonesLeave_whileOff_musicPlaysOn_andWhileOn_itIsHeld() throws {
        let music = try scene.play("Music", process: 11)
        #expect(try property("WatchedOutput") == .string("USB Headset"))
        try call("OffUntil", .uint64(0))
        #expect(try property("IsOff") == .bool(true))
        #expect(try property("WatchedOutput") == .string(""))
        scene.machine.speaker.meter.mark()
        scene.machine.pullHeadset()
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(try property("Held") == .array(of: "a{sv}", []))
        try scene.machine.plugHeadset()
        try scene.machine.server.waitUntil("Music", feeds: "usb-headset")
        try call("On")
        #expect(try property("IsOff") == .bool(false))
        try scene.waitUntilWatching()
        try scene.loseHeadset(holding: "Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(try property("Held").members?.first?.properties?["program"] == .string("Music"))
        #expect(try call("Release", .string("Music")) == [.uint32(1)])
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }

    @Test func guardIsTurnedOff_whileItHolds_andComesBackWithItsTime() throws {
        let music = try scene.hold("Music")
        #expect(try scene.ask("off").first?.hasPrefix("The guard is off: nothing is held") == true)
        try scene.run.wait(forOutput: "Continued Music: the guard is off.")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(try scene.ask("status").first?.hasSuffix("To turn it on: audiosession guard on") == true)
        #expect(try scene.ask("off", "--for", "1s").first?.hasPrefix("The guard is off until ") == true)
        try scene.run.wait(forOutput: "The guard is on.")
        #expect(try scene.ask("status").first == "The guard is running. No output is watched now.")
        #expect(try scene.ask("on") == ["The guard is on."])
        withExtendedLifetime(music) {}
    }

    /// The user has not turned it on.
    @Test func guardThatIsStartedAgain_isStillOff() throws {
        #expect(try scene.ask("off", "--until", "18:00").first?.hasPrefix("The guard is off until ") == true)
        #expect(try scene.ask("stop").last == "The guard has ended.")
        try scene.startGuard()
        try scene.run.wait(forOutput: "The guard is running")
        #expect(try scene.ask("status").first?.hasPrefix("The guard is off until ") == true)
        #expect(try scene.ask("on") == ["The guard is on."])
        try scene.waitUntilWatching()
    }
}
