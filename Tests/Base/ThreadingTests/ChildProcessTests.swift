import Glibc
import Testing
import Threading

@Suite struct ChildProcessTests {
    /// Ends with 0 where the shell has the descriptor.
    private func hasDescriptor(_ descriptor: Int32, _ streams: ChildProcess.Streams) throws -> Bool {
        let child = try ChildProcess.start(
            ["sh", "-c", "test -e /proc/self/fd/\(descriptor)"], streams: streams)
        return ChildProcess.wait(for: child) == 0
    }

    /// A descriptor that programs inherit, above the 1,024 that a shell's default limit allows.
    @Test func descriptors_areInheritedOnlyWhereAllAre() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 4096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let descriptor = fcntl(null, F_DUPFD, 1500)
        try #require(descriptor >= 1500)
        defer { close(descriptor) }
        #expect(try hasDescriptor(descriptor, .inherited))
        #expect(try !hasDescriptor(descriptor, .none))
        #expect(try !hasDescriptor(descriptor, .descriptors(input: null, output: null)))
    }

    @Test func unknownProgram_isTold() {
        do throws(ChildProcess.Failure) {
            _ = try ChildProcess.start(["/no/such/program"], streams: .none)
            Issue.record("it was started")
        } catch {
            #expect(error.code == ENOENT)
            #expect(error.reason == "No such file or directory")
        }
    }
}
