import AudioModel
import BusObjects
import BusRig
import GuardCore
import SessionBus
import TestSupport
import Testing

@testable import GuardRuntime

/// The guard's item in a tray that is no panel's.
@Suite(.timeLimit(.minutes(1))) struct TrayItemTests {
    private static let menuPath = "/StatusNotifierItem/Menu"
    private static let menuInterface = "com.canonical.dbusmenu"

    /// Registers items, and notes the names of those that come and go.
    private final class Tray {
        let log = History<String>()
        private let bus: BusConnection

        init(_ address: String) async throws {
            bus = try BusConnection(address: address)
            bus.export(
                BusObject(
                    path: "/StatusNotifierWatcher",
                    interfaces: [
                        BusInterface(
                            name: "org.kde.StatusNotifierWatcher",
                            methods: [
                                .init("RegisterStatusNotifierItem", ["s"]) { [log] arguments in
                                    log.append("new \(arguments[0].string ?? "")")
                                    return .success([])
                                }
                            ])
                    ]))
            let registered = log
            bus.watch(
                .init(
                    sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                    nameSpace: "org.kde")
            ) { signal in
                guard let name = signal.arguments.first?.string, name.contains("Item"),
                    signal.arguments.last?.string == ""
                else { return }
                registered.append("gone \(name)")
            }
            _ = await bus.owns("org.kde.StatusNotifierWatcher")
        }

        func close() { bus.close() }

        /// Waits for the first item.
        func waitForTheItem() throws -> String {
            let log = try log.wait(for: "an item") { $0.contains { $0.hasPrefix("new ") } }
            return String(log.first { $0.hasPrefix("new ") }?.dropFirst(4) ?? "")
        }
    }

    private struct Entry: Equatable {
        var id: Int32
        var label: String?
        var isEnabled: Bool
    }

    private static func entries(_ rig: DesktopRig, _ item: String) async throws -> [Entry] {
        let answer = try await rig.bus.call(
            item, menuPath, menuInterface, "GetLayout", [.int32(0), .int32(-1), .strings([])]
        ).get()
        #expect(answer.map(\.signature) == ["u", "(ia{sv}av)"])
        let children = answer[1].members?[2].members ?? []
        return children.compactMap { child -> Entry? in
            guard case .variant(let child) = child, let parts = child.members, let id = parts[0].integer else {
                return nil
            }
            let properties = parts[1].properties ?? [:]
            return Entry(
                id: Int32(id), label: properties["label"]?.string, isEnabled: properties["enabled"]?.bool ?? true)
        }
    }

    private static func click(_ id: Int32, _ rig: DesktopRig, _ item: String) async throws {
        _ = try await rig.bus.call(
            item, menuPath, menuInterface, "Event",
            [.int32(id), .string("clicked"), .variant(.string("")), .uint32(0)]
        ).get()
    }

    @Test func trayThatComesLate_getsTheItem_andSoDoesTheNext() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        rig.show(.holding(["mpv"]))
        for _ in 0..<2 {
            let tray = try await Tray(bus.address)
            #expect(try tray.waitForTheItem().hasPrefix("org.kde.StatusNotifierItem-"))
            tray.close()
        }
    }

    @Test func item_isThereWhileSomethingIsHeld_orTheGuardIsOff() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        let tray = try await Tray(bus.address)
        rig.show(GuardStatus())
        rig.show(.holding(["mpv"], isHeard: true))
        rig.show(.holding(["mpv"]))
        let item = try tray.waitForTheItem()
        rig.show(GuardStatus())
        try tray.log.wait(for: "its end") { $0 == ["new \(item)", "gone \(item)"] }
        var off = GuardStatus()
        off.scope = .off(until: nil)
        rig.show(off)
        try tray.log.wait(for: "it again") { $0 == ["new \(item)", "gone \(item)", "new \(item)"] }
        rig.shutdown()
        try tray.log.wait(for: "its end") { $0.count == 4 && $0[3] == "gone \(item)" }
    }

    @Test func setting_shows_itAlwaysOrNever() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        let tray = try await Tray(bus.address)
        var status = GuardStatus.holding(["mpv"])
        status.tray = .never
        rig.show(status)
        status.held = []
        status.tray = .always
        rig.show(status)
        let item = try tray.waitForTheItem()
        status.tray = .never
        rig.show(status)
        try tray.log.wait(for: "its end") { $0 == ["new \(item)", "gone \(item)"] }
    }

    @Test func menu_saysWhatIsHeld_andItsEntriesAskTheGuard() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        let tray = try await Tray(bus.address)
        rig.show(.holding(["my_player", "m\u{7}v"]))
        let item = try tray.waitForTheItem()
        let entries = try await Self.entries(rig, item)
        #expect(
            entries.map(\.label) == [
                "my__player is paused: Head\u{FFFD}set left", "Play my__player here",
                "Leave my__player alone from now on", nil, "m\u{FFFD}v is paused: Head\u{FFFD}set left",
                "Play m\u{FFFD}v here", nil, "Play all here", nil, "Off for an hour", "Turn the guard off",
            ])
        #expect(entries.filter { !$0.isEnabled }.map(\.label) == [entries[0], entries[4]].map(\.label))
        for entry in entries { try await Self.click(entry.id, rig, item) }
        #expect(
            rig.requests.entries == [
                .release(program: "my_player"), .leaveAlone(program: "my_player", isLeft: true),
                .release(program: "m\u{7}v"), .release(program: nil), .offForAnHour, .off(until: nil),
            ])
    }

    /// The panel shows the menu of before for an instant.
    @Test func entryThatHasGone_isClicked_nothingIsAsked() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        let tray = try await Tray(bus.address)
        rig.show(.holding(["mpv"]))
        let item = try tray.waitForTheItem()
        let old = try await Self.entries(rig, item)
        var off = GuardStatus()
        off.scope = .off(until: nil)
        rig.show(off)
        for id in old.map(\.id) + [0, -1, .max, .min] { try await Self.click(id, rig, item) }
        #expect(rig.requests.entries == [])
        let new = try await Self.entries(rig, item)
        #expect(new.map(\.label) == ["Off", "Turn the guard on"])
        try await Self.click(new[1].id, rig, item)
        #expect(rig.requests.entries == [.on])
    }

    /// As panels call it, with what they may send.
    @Test func menu_answersEveryCallOfItsInterface() async throws {
        let bus = try PrivateBus()
        let rig = try DesktopRig(bus.address)
        let tray = try await Tray(bus.address)
        rig.show(.holding(["mpv"]))
        let item = try tray.waitForTheItem()
        func call(_ member: String, _ arguments: [BusValue]) async -> Result<[BusValue], BusError> {
            await rig.bus.call(item, Self.menuPath, Self.menuInterface, member, arguments)
        }
        let entries = try await Self.entries(rig, item)
        let root = try await call("GetLayout", [.int32(0), .int32(0), .strings([])]).get()
        #expect(root[1].members?[2] == .array(of: "v", []))
        let leaf = try await call("GetLayout", [.int32(entries[1].id), .int32(-1), .strings(["label"])]).get()
        #expect(leaf[1].members?[0] == .int32(entries[1].id))
        let all = try await call("GetGroupProperties", [.array(of: "i", []), .strings([])]).get()
        #expect(all[0].members?.count == entries.count + 1)
        let some = try await call(
            "GetGroupProperties", [.array(of: "i", [.int32(entries[1].id), .int32(99)]), .strings([])]
        )
        .get()
        #expect(some[0].members?.count == 1)
        #expect(
            await call("GetProperty", [.int32(entries[1].id), .string("label")])
                == .success([.variant(.string("Play mpv here"))]))
        for (id, name) in [(entries[1].id, "nothing"), (99, "label")] {
            let result = await call("GetProperty", [.int32(id), .string(name)])
            #expect(throws: BusError.self) { try result.get() }
        }
        let lost = await call("GetLayout", [.int32(99), .int32(-1), .strings([])])
        #expect(throws: BusError.self) { try lost.get() }
        #expect(await call("AboutToShow", [.int32(0)]) == .success([.bool(false)]))
        #expect(
            await call("AboutToShowGroup", [.array(of: "i", [])])
                == .success([.array(of: "i", []), .array(of: "i", [])]))
        let event: [BusValue] = [.int32(entries[1].id), .string("clicked"), .variant(.int32(0)), .uint32(0)]
        let other: [BusValue] = [.int32(entries[1].id), .string("hovered"), .variant(.int32(0)), .uint32(0)]
        #expect(
            await call("EventGroup", [.array(of: "(isvu)", [.structure(other), .structure(event)])])
                == .success([.array(of: "i", [])]))
        #expect(rig.requests.entries == [.release(program: "mpv")])
        let tip = try await rig.bus.property(
            "ToolTip", of: "org.kde.StatusNotifierItem", "/StatusNotifierItem", at: item
        ).get()
        #expect(tip.signature == "(sa(iiay)ss)")
        let text = try #require(tip.members?.last?.string)
        #expect(text.contains("mpv is paused"))
    }

    @Test func manyPrograms_areCounted() {
        var menu = TrayMenu()
        var changes = [menu.show(.holding((1...20).map { "program \($0)" }))]
        #expect(menu.entries.contains { $0.entry.label == "14 more are paused" })
        #expect(menu.entries.count { $0.entry.label.hasSuffix(" here") } == TrayMenu.mostPrograms + 1)
        #expect(menu.entries.allSatisfy { $0.entry.label.count <= 80 })
        let ids = menu.entries.map(\.id)
        changes.append(menu.show(.holding((1...20).map { "program \($0)" }, seconds: 9)))
        changes.append(menu.show(.holding([String(repeating: "x", count: 500)])))
        #expect(changes == [true, false, true])
        #expect(Set(ids).isDisjoint(with: menu.entries.map(\.id)))
        #expect(menu.entries.allSatisfy { $0.entry.label.count <= 80 })
    }
}
