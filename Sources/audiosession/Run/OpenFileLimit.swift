import Glibc

/// How many files, sockets and pipes this process may have open at once.
///
/// A player and its connection to the sound server have 44 open; a message of the server can bring more, and libpipewire ends
/// the connection where there is no room for them.
enum OpenFileLimit {
    /// What every command gets along with.
    static let needed = 64
    static let remedy = "raise the limit: ulimit -n 1024 (where the shell refuses that, in a new login)"

    static var current: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// - Throws: `BackendError` where the limit is too low for a connection to the sound server.
    static func check(_ limit: Int = current) throws(BackendError) {
        guard limit < needed else { return }
        throw BackendError(
            code: .program(.noDescriptors),
            message: "only \(limit) files may be open at once, and audiosession needs \(needed); \(remedy).")
    }
}
