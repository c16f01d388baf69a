internal import AudioModel
internal import GuardCore

/// The menu of the item in the tray: what is held and why, and what its user can do.
///
/// Pure. A number names one entry for ever: a click on an entry that has meanwhile gone does nothing.
struct TrayMenu {
    struct Entry: Hashable {
        enum Kind: Hashable {
            case text
            case separator
            case request(GuardRequest)
        }

        var label: String
        var kind: Kind

        static let separator = Entry(label: "", kind: .separator)
    }

    /// The most programs that the menu names.
    static let mostPrograms = 6
    private static let longestLabel = 80

    private(set) var entries: [(id: Int32, entry: Entry)] = []
    private(set) var revision: UInt32 = 1
    /// 0 is the menu itself.
    private var nextID: Int32 = 1

    /// - Returns: whether the menu has changed.
    mutating func show(_ status: GuardStatus) -> Bool {
        let new = Self.entries(of: status)
        guard new != entries.map(\.entry) else { return false }
        entries = new.map { entry in
            defer { nextID = nextID == .max ? 1 : nextID + 1 }
            return (nextID, entry)
        }
        revision &+= 1
        return true
    }

    func entry(_ id: Int32) -> Entry? { entries.first { $0.id == id }?.entry }

    private static func entries(of status: GuardStatus) -> [Entry] {
        let held = status.held.filter { !$0.isHeard }
        let programs = held.reduce(into: [HeldStream]()) { all, stream in
            if !all.contains(where: { $0.program == stream.program }) { all.append(stream) }
        }
        var entries: [Entry] = []
        for stream in programs.prefix(mostPrograms) {
            let name = stream.program.printable
            let reasons = stream.reasons.map(\.words).joined(separator: "; ")
            entries.append(text("\(name) is paused: \(reasons)"))
            entries.append(request("Play \(name) here", .release(program: stream.program)))
            if GuardRequest.isName(stream.program) {
                entries.append(
                    request("Leave \(name) alone from now on", .leaveAlone(program: stream.program, isLeft: true)))
            }
            entries.append(.separator)
        }
        if programs.count > mostPrograms { entries.append(text("\(programs.count - mostPrograms) more are paused")) }
        if programs.count > 1 { entries += [request("Play all here", .release(program: nil)), .separator] }
        return entries + power(status, isHolding: !programs.isEmpty)
    }

    private static func power(_ status: GuardStatus, isHolding: Bool) -> [Entry] {
        if case .off(let until) = status.scope {
            return [
                text(until.map { "Off until \(WallClock.words($0))" } ?? "Off"), request("Turn the guard on", .on),
            ]
        }
        let watched = status.watchedOutput.map { "\($0.printable) is watched" } ?? "No output is watched now"
        return (isHolding ? [] : [text(watched)])
            + [request("Off for an hour", .offForAnHour), request("Turn the guard off", .off(until: nil))]
    }

    private static func text(_ label: String) -> Entry { Entry(label: String(label.prefix(longestLabel)), kind: .text) }

    private static func request(_ label: String, _ request: GuardRequest) -> Entry {
        Entry(label: String(label.prefix(longestLabel)), kind: .request(request))
    }
}
