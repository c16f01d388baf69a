internal import Foundation
package import GuardCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The directories with the guard's configuration, the system's first, and a descriptor that becomes readable when they change.
///
/// Uses inotify and does not poll. Used by one thread.
package final class GuardFiles {
    /// The most files that are read in a directory.
    package static let mostFiles = 64

    // A file is read when it was closed, appeared or disappeared; a link to a file appears complete.
    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR)
    /// For a parent directory while the wanted directory does not exist.
    private static let maskAbove = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    private let directories: [String]
    /// -1 if the system has no descriptors left: changes are not noticed then.
    package let descriptor: Int32
    private var watches: Set<Int32> = []

    /// - Parameter directories: absolute paths, which need not exist; later directories win.
    package init(directories: [String]) {
        self.directories = directories
        descriptor = directories.isEmpty ? -1 : inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        watch()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Consumes the events that made the descriptor readable; read the files after this call.
    package func drain() {
        // The end of a watch is an event too.
        var before: Set<Int32>
        repeat {
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            before = watches
            watch()
        } while watches != before
    }

    /// Adds the files' contents, in the order of the file names.
    package func add(to configuration: inout GuardConfiguration) {
        for directory in directories {
            let names = Self.names(in: directory)
            if names.count > Self.mostFiles {
                configuration.note(directory, "has more than \(Self.mostFiles) files; the last ones are not read")
            }
            for name in names.prefix(Self.mostFiles) {
                let path = "\(directory)/\(name)"
                do throws(ConfigurationText.Fault) {
                    let fields = try ConfigurationText.fields(Self.bytes(ofFile: path))
                    configuration.add(path, fields, ConfigurationText.patterns)
                } catch {
                    configuration.note(path, line: error.line, error.words)
                }
            }
        }
    }

    /// Reads a regular file, at least one byte more than `mostBytes` if it is too long; does not wait for a pipe.
    package static func bytes(ofFile path: String) throws(ConfigurationText.Fault) -> [UInt8] {
        func fault(_ number: Int32) -> ConfigurationText.Fault {
            .init(line: nil, words: "cannot be read (\(String(cString: strerror(number))))")
        }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw fault(errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw fault(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw .init(
                line: nil, words: "is a directory, a pipe or a device; put a file there, or give it another name")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= ConfigurationText.mostBytes {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault(errno) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func names(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted()
    }

    private func watch() {
        guard descriptor >= 0 else { return }
        // A change between the lookup and the new watch is found by the next round of this loop.
        var before: Set<Int32>
        repeat {
            before = watches
            watches = Set(directories.compactMap(watchNearest))
            for old in before.subtracting(watches) { inotify_rm_watch(descriptor, old) }
        } while watches != before
    }

    /// Watches the directory, or its deepest parent that exists.
    private func watchNearest(_ path: String) -> Int32? {
        var names = path.split(separator: "/")
        var mask = Self.mask
        while true {
            let found = inotify_add_watch(descriptor, "/" + names.joined(separator: "/"), mask)
            guard found < 0 else { return found }
            guard names.popLast() != nil else { return nil }
            mask = Self.maskAbove
        }
    }
}
