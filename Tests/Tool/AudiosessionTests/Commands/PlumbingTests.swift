import Glibc
import Testing

@testable import audiosession

@Suite struct PlumbingTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&source, 1, 0) == 1
    }

    @Test func mailbox_isReadableExactlyWhileMessagesWait() throws {
        let mailbox = try Mailbox<Int>()
        #expect(!isReadable(mailbox.descriptor))
        mailbox.post(1)
        mailbox.post(2)
        #expect(isReadable(mailbox.descriptor))
        #expect(mailbox.takeAll() == [1, 2])
        #expect(!isReadable(mailbox.descriptor))
        mailbox.post(3)
        #expect(isReadable(mailbox.descriptor))
        #expect(mailbox.takeAll() == [3])
    }

    @Test func mailbox_whileManyThreadsPost_losesNothing() async throws {
        let mailbox = try Mailbox<Int>()
        await withTaskGroup(of: Void.self) { group in
            for base in 0..<8 { group.addTask { for i in 0..<1000 { mailbox.post(base * 1000 + i) } } }
        }
        #expect(isReadable(mailbox.descriptor))
        #expect(mailbox.takeAll().sorted() == Array(0..<8000))
    }

    @Test func output_whoseReaderHasGone_isClosedAndNoError() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        // Closing would not do: a program that another test starts just now has the end, too, for a moment.
        try #require(shutdown(ends[0], Int32(SHUT_RDWR)) == 0)
        let output = DescriptorOutput(ends[1])
        output.writeLine("lost")
        #expect(output.isClosed)
        try output.finish()
    }

    @Test func output_thatOutlivesItsReader_dropsWhatFollows() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(shutdown(ends[0], Int32(SHUT_RDWR)) == 0)
        let output = DescriptorOutput(ends[1], outlivesReader: true)
        output.writeLine("lost")
        output.writeLine("lost, too")
        #expect(!output.isClosed)
        try output.finish()
        let none = DescriptorOutput(-1, outlivesReader: true)
        none.writeLine("lost")
        #expect(!none.isClosed, "an output that was closed before the program began")
        try none.finish()
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let disk = DescriptorOutput(full, outlivesReader: true)
        disk.writeLine("lost")
        #expect(disk.isClosed, "a full disk is no reader that has gone")
        #expect(throws: BackendError.self) { try disk.finish() }
    }

    @Test func output_ontoAFullDisk_isAnErrorWithItsReason() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let output = DescriptorOutput(descriptor)
        output.writeLine("lost")
        #expect(output.isClosed)
        let error = #expect(throws: BackendError.self) { try output.finish() }
        #expect(error?.message.contains("No space left on device") == true)
    }
}
