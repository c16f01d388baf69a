/// What /proc tells of processes; nothing where it tells nothing.
enum ProcessTree {
    private static let deepest = 16

    /// The nearest first, without the first process of the machine.
    static func ancestors(of process: UInt32) -> [UInt32] {
        var ancestors: [UInt32] = []
        var next = process
        while ancestors.count < deepest, let parent = parent(of: next), parent > 1 {
            ancestors.append(parent)
            next = parent
        }
        return ancestors
    }

    static func name(of process: UInt32) -> String? {
        text(ofFile: "/proc/\(process)/comm")?.split(separator: "\n").first.map(String.init)
    }

    private static func parent(of process: UInt32) -> UInt32? {
        // The name, in parentheses, may hold spaces and parentheses: "42 (a b) S 1 ...".
        guard let stat = text(ofFile: "/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? UInt32(fields[1]) : nil
    }
}
