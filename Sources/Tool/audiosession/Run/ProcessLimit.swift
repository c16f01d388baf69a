import Glibc

/// A limit of the kernel on this process (`ulimit`), and how much every command needs of it.
struct ProcessLimit: Sendable {
    let needed: Int
    let remedy: String
    private let resource: UInt32
    private let code: BackendError.ProgramCode
    /// What an error says about a limit that is too low.
    private let shortage: @Sendable (_ limit: Int) -> String

    /// How many files, sockets and pipes may be open at once.
    ///
    /// A player and its connection to the sound server have 44 open; a message of the server can bring more, and
    /// libpipewire ends the connection where there is no room for them.
    static let openFiles = ProcessLimit(
        needed: 64, remedy: remedy("ulimit -n 1024"), resource: RLIMIT_NOFILE.rawValue, code: .noDescriptors
    ) { "only \($0) files may be open at once, and audiosession needs 64" }

    /// How many bytes of addresses may be reserved.
    ///
    /// A player reserves 830 MB, most of it for the stacks and the allocators of its threads. With less than half of that, a
    /// thread does not start, and the program stands still or crashes.
    static let addressSpace = ProcessLimit(
        needed: 1_000_000_000, remedy: remedy("ulimit -v unlimited"), resource: RLIMIT_AS.rawValue, code: .noMemory
    ) { "only \($0 / 1_000_000) MB of address space may be used, and audiosession needs 1000 MB" }

    private static func remedy(_ command: String) -> String {
        "raise the limit: \(command) (where the shell refuses that, in a new login)"
    }

    var current: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// - Parameter limit: nil for that of this process.
    /// - Throws: `BackendError` where the limit is too low.
    func check(_ limit: Int? = nil) throws(BackendError) {
        let limit = limit ?? current
        guard limit < needed else { return }
        throw BackendError(code, "\(shortage(limit)); \(remedy).")
    }
}
