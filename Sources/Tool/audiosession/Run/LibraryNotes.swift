import Foundation
import Glibc

/// What libmpg123 and libFLAC print on C's `stderr` about damaged files, so that it does not run over the screen.
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
            // Not a FILE: at the exit of the process glibc 2.41 waits for the lock of one that is being read.
            let pipe = FileHandle(fileDescriptor: reader)
            var unfinished = Data()
            while case let data = pipe.availableData, !data.isEmpty {
                unfinished += data
                let lines = unfinished.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                for line in lines.dropLast() { consume(String(decoding: line, as: UTF8.self), deliver) }
                unfinished = Data(lines.last?.prefix(longestLine) ?? Data())
            }
        }
    }

    /// In bytes; what exceeds it is left out.
    private static let longestLine = 4096

    private static func consume(_ line: String, _ deliver: (String) -> Void) {
        guard !isChatter(line) else { return }
        // liblilv quotes the file of a plug-in.
        guard isNote(line) else {
            return DescriptorOutput(STDERR_FILENO).writeLine(line.replacing("\t", with: " ").printable)
        }
        let note = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if !note.isEmpty { deliver(String(note.prefix(200))) }
    }

    /// Of no use to a person.
    ///
    /// Source: libFLAC 1.5, strings of libFLAC.so.14.0.0 in Debian sid.
    private static func isChatter(_ line: String) -> Bool {
        ["Rewinding, seeking ", "Bitreader was "].contains { line.hasPrefix($0) }
    }

    /// Source: libmpg123 1.31, src/libmpg123: "Note: ", "Warning: ", and "[src/libmpg123/layer3.c:...] error: ".
    private static func isNote(_ line: String) -> Bool {
        line.hasPrefix("Note: ") || line.hasPrefix("Warning: ") || line.contains("libmpg123") || line.isEmpty
    }
}
