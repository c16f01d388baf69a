internal import Foundation
internal import Threading

/// Facts about processes from /proc; nil or empty if /proc does not report them.
enum ProcessTree {
    private static let deepest = 16

    /// The parent processes, the nearest first, without process 1; at most `deepest`.
    static func ancestors(of process: UInt32) -> [UInt32] {
        var ancestors: [UInt32] = []
        var next = process
        while ancestors.count < deepest, let parent = parent(of: next), parent > 1 {
            ancestors.append(parent)
            next = parent
        }
        return ancestors
    }

    /// The name of the process' executable file; nil if it may not be read.
    static func binary(of process: UInt32) -> String? {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        return path?.split(separator: "/").last.map(String.init)
    }

    static func name(of process: UInt32) -> String? {
        text(ofFile: "/proc/\(process)/comm")?.split(separator: "\n").first.map(String.init)
    }

    private static func parent(of process: UInt32) -> UInt32? {
        // The name in parentheses may contain spaces and parentheses: "42 (a b) S 1 ...".
        guard let stat = text(ofFile: "/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? UInt32(fields[1]) : nil
    }
}
