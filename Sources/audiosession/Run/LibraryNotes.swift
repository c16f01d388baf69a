import Foundation
import Glibc

/// What libmpg123 prints on C's `stderr` about damaged files, so that it does not run over the screen.
///
/// Its lines go to `deliver`. All other text goes on to the standard error, and so does what the Swift runtime writes,
/// which uses the descriptor.
enum LibraryNotes {
    /// Call it once, before other threads print.
    ///
    /// Does nothing where C's library has no `stderr` to replace.
    ///
    /// - Parameter deliver: called on a thread of its own.
    static func divert(_ deliver: @escaping @Sendable (String) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard let symbol = dlsym(nil, "stderr"), pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reader, writer) = (ends[0], ends[1])
        guard let file = fdopen(writer, "w") else { return }
        setvbuf(file, nil, _IOLBF, 1024)
        symbol.assumingMemoryBound(to: UnsafeMutablePointer<FILE>.self).pointee = file
        Thread.detachNewThread {
            guard let lines = fdopen(reader, "r") else { return }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, lines) > 0, let line {
                let text = String(cString: line)
                if isNote(text) {
                    let note = text.trimmingCharacters(in: .whitespacesAndNewlines)
                    if !note.isEmpty { deliver(String(note.prefix(200))) }
                } else {
                    DescriptorOutput(STDERR_FILENO).write(text)
                }
            }
        }
    }

    /// Source: libmpg123 1.31, src/libmpg123: "Note: ", "Warning: ", and "[src/libmpg123/layer3.c:...] error: ".
    private static func isNote(_ line: String) -> Bool {
        line.hasPrefix("Note: ") || line.hasPrefix("Warning: ") || line.contains("libmpg123") || line == "\n"
    }
}
