#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

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
        guard let text = text(ofFile: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? UInt32(fields[1]) : nil
    }

    private static func text(ofFile path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
