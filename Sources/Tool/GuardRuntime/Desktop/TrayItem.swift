internal import BusObjects
internal import GuardCore
internal import SessionBus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The guard's item in the desktop's tray, with its menu; without a tray it is nowhere, and costs nothing.
///
/// Rule: used on the bus's thread only. All texts are untrusted.
///
/// Source: StatusNotifierItem (freedesktop.org); com.canonical.dbusmenu, version 3.
final class TrayItem: @unchecked Sendable {
    private enum Place {
        /// Exits: there is a tray and something to show -> `shown`.
        case nowhere
        /// The connection that has this tray knows of the item. Exits: nothing is to be shown, or the tray has left -> `nowhere`;
        /// another tray comes -> `shown` there.
        case shown([BusConnection.Registration], tray: String)
    }

    private static let watcher = "org.kde.StatusNotifierWatcher"
    private static let path = "/StatusNotifierItem"
    private static let interface = "org.kde.StatusNotifierItem"
    private static let menuPath = "/StatusNotifierItem/Menu"
    private static let menuInterface = "com.canonical.dbusmenu"
    private static let name = "org.kde.StatusNotifierItem-\(getpid())-1"
    private static let icon = "audio-headphones"
    /// The most events that one call may bring.
    private static let mostEvents = 64

    private unowned let bus: BusConnection
    private var menu = TrayMenu()
    /// Any program on the bus may click.
    private var rate = RequestRate.standard
    /// The connection that has the tray; nil: there is none.
    private var tray: String?
    private var isWanted = false
    private var place = Place.nowhere
    private var onRequest: GuardDesktopHandlers.Request = { _, _ in }

    init(_ bus: BusConnection) { self.bus = bus }

    func start(onRequest: @escaping GuardDesktopHandlers.Request) {
        self.onRequest = onRequest
        bus.watchOwners(of: Self.watcher) { [weak self] name, owner in
            guard let self, name == Self.watcher, tray != owner else { return }
            tray = owner
            update()
        }
    }

    func show(_ status: GuardStatus) {
        let isNew = menu.show(status)
        isWanted =
            switch status.tray {
            case .held: status.scope.isOff || status.held.contains { !$0.isHeard }
            case .always: true
            case .never: false
            }
        update()
        guard isNew, case .shown = place else { return }
        bus.emit(
            path: Self.menuPath, interface: Self.menuInterface, member: "LayoutUpdated",
            [.uint32(menu.revision), .int32(0)])
        bus.emit(path: Self.path, interface: Self.interface, member: "NewToolTip")
    }

    func shutdown() {
        isWanted = false
        update()
    }

    private func update() {
        switch (place, isWanted ? tray : nil) {
        case (.nowhere, nil): break
        case (.nowhere, let tray?): register([bus.export(item), bus.export(menuObject)], at: tray)
        case (.shown(let objects, let old), let tray?): if tray != old { register(objects, at: tray) }
        case (.shown(let objects, _), nil):
            place = .nowhere
            // Trays forget the items of a name that leaves.
            bus.call(.bus("ReleaseName", [.string(Self.name)]))
            objects.forEach(bus.remove)
        }
    }

    private func register(_ objects: [BusConnection.Registration], at tray: String) {
        place = .shown(objects, tray: tray)
        bus.requestName(Self.name) { [weak self] isOurs in
            guard let self, isOurs, case .shown(_, tray) = place else { return }
            bus.call(
                .init(tray, "/StatusNotifierWatcher", Self.watcher, "RegisterStatusNotifierItem", [.string(Self.name)]))
        }
    }

    // MARK: The item

    private var item: BusObject {
        func nothing(_ name: String, _ parameters: [String]) -> BusInterface.Method {
            .init(name, parameters) { _ in .success([]) }
        }
        func text(_ name: String, _ text: String) -> BusInterface.Property { .init(name, "s") { .string(text) } }
        return BusObject(
            path: Self.path,
            interfaces: [
                BusInterface(
                    name: Self.interface,
                    methods: [
                        nothing("Activate", ["i", "i"]), nothing("SecondaryActivate", ["i", "i"]),
                        nothing("ContextMenu", ["i", "i"]), nothing("Scroll", ["i", "s"]),
                    ],
                    properties: [
                        text("Category", "Hardware"), text("Id", "audiosession-guard"),
                        text("Title", "Headphones guard"), text("Status", "Active"), text("IconName", Self.icon),
                        text("OverlayIconName", ""), text("AttentionIconName", ""),
                        .init("WindowId", "i") { .int32(0) }, .init("ItemIsMenu", "b") { .bool(true) },
                        .init("Menu", "o") { .objectPath(Self.menuPath) },
                        .init("ToolTip", "(sa(iiay)ss)") { [weak self] in
                            let lines = self?.menu.entries.filter { $0.entry.kind == .text }.map(\.entry.label) ?? []
                            return .structure([
                                .string(Self.icon), .array(of: "(iiay)", []), .string("Headphones guard"),
                                .string(lines.joined(separator: "\n")),
                            ])
                        },
                    ],
                    signals: ["NewToolTip": [], "NewIcon": [], "NewTitle": [], "NewStatus": ["s"]])
            ])
    }

    // MARK: The menu

    private var menuObject: BusObject {
        BusObject(
            path: Self.menuPath,
            interfaces: [
                BusInterface(
                    name: Self.menuInterface,
                    methods: [
                        .init("GetLayout", ["i", "i", "as"], results: ["u", "(ia{sv}av)"]) { [weak self] arguments in
                            self?.layout(Self.id(arguments[0]), depth: arguments[1].integer ?? -1) ?? Self.gone
                        },
                        .init("GetGroupProperties", ["ai", "as"], results: ["a(ia{sv})"]) { [weak self] arguments in
                            .success([
                                self?.group(arguments[0].members?.map(Self.id) ?? []) ?? .array(of: "(ia{sv})", [])
                            ])
                        },
                        .init("GetProperty", ["i", "s"], results: ["v"]) { [weak self] arguments in
                            let values = self?.properties(of: Self.id(arguments[0])) ?? [:]
                            guard let value = values[arguments[1].string ?? ""] else { return Self.gone }
                            return .success([.variant(value)])
                        },
                        .init("Event", ["i", "s", "v", "u"]) { [weak self] arguments in
                            self?.note(event: arguments[1].string, of: Self.id(arguments[0]))
                            return .success([])
                        },
                        .init("EventGroup", ["a(isvu)"], results: ["ai"]) { [weak self] arguments in
                            for event in arguments[0].members?.prefix(Self.mostEvents) ?? [] {
                                guard let parts = event.members, parts.count == 4 else { continue }
                                self?.note(event: parts[1].string, of: Self.id(parts[0]))
                            }
                            return .success([.array(of: "i", [])])
                        },
                        .init("AboutToShow", ["i"], results: ["b"]) { _ in .success([.bool(false)]) },
                        .init("AboutToShowGroup", ["ai"], results: ["ai", "ai"]) { _ in
                            .success([.array(of: "i", []), .array(of: "i", [])])
                        },
                    ],
                    properties: [
                        .init("Version", "u") { .uint32(3) }, .init("TextDirection", "s") { .string("ltr") },
                        .init("Status", "s") { .string("normal") }, .init("IconThemePath", "as") { .strings([]) },
                    ],
                    signals: ["LayoutUpdated": ["u", "i"], "ItemsPropertiesUpdated": ["a(ia{sv})", "a(ias)"]])
            ])
    }

    private static let gone = Result<[BusValue], BusError>.failure(.invalidArguments("the menu has no such entry"))

    private static func id(_ value: BusValue) -> Int32 { value.integer.flatMap { Int32(exactly: $0) } ?? -1 }

    private func note(event: String?, of id: Int32) {
        guard event == "clicked", case .request(let request)? = menu.entry(id)?.kind,
            rate.secondsToWait("the menu", at: .monotonic) == nil
        else { return }
        onRequest(request) { _ in }
    }

    private func layout(_ id: Int32, depth: Int64) -> Result<[BusValue], BusError> {
        guard let properties = properties(of: id) else { return Self.gone }
        var children: [BusValue] = []
        if id == 0, depth != 0 {
            children = menu.entries.map { id, entry in
                .variant(.structure([.int32(id), .properties(Self.properties(entry)), .array(of: "v", [])]))
            }
        }
        return .success([
            .uint32(menu.revision), .structure([.int32(id), .properties(properties), .array(of: "v", children)]),
        ])
    }

    /// - Parameter ids: none means all.
    private func group(_ ids: [Int32]) -> BusValue {
        let all = [0] + menu.entries.map(\.id)
        let wanted = ids.isEmpty ? all : all.filter(Set(ids).contains)
        return .array(
            of: "(ia{sv})", wanted.map { .structure([.int32($0), .properties(properties(of: $0) ?? [:])]) })
    }

    private func properties(of id: Int32) -> [String: BusValue]? {
        id == 0 ? ["children-display": .string("submenu")] : menu.entry(id).map(Self.properties)
    }

    private static func properties(_ entry: TrayMenu.Entry) -> [String: BusValue] {
        switch entry.kind {
        case .separator: ["type": .string("separator")]
        // An underscore would mark a letter of the keyboard.
        case .text: ["label": .string(entry.label.replacing("_", with: "__")), "enabled": .bool(false)]
        case .request: ["label": .string(entry.label.replacing("_", with: "__"))]
        }
    }
}
