/// A file of the system or of a daemon, whole; nil if it cannot be read, or has more than 4 MiB.
///
/// The path may be another program's word: a pipe without a writer counts as empty, and is not waited for.
package func text(ofFile path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while case let count = read(file, &buffer, buffer.count), count > 0 {
        bytes += buffer[..<count]
        if bytes.count > 4 << 20 { return nil }
    }
    return String(decoding: bytes, as: UTF8.self)
}
