import AudioModel
import Foundation
import RuntimeTestSupport
import TestAudio
import TestSupport
import Testing
import Threading

@testable import AudioRuntime

/// A recorder whose disk takes its time.
@Suite struct FileRecorderDiskTests {
    /// Far above what a loaded machine needs: only who waits for the disk meets it.
    private static let deadlineSeconds = 20.0

    @Test func statusAndMeasures_whileTheDiskIsBusy_areThoseOfTheLastWrite() throws {
        nonisolated(unsafe) let machine = try RuntimeMachine(recordingOn: .phone)
        // Of so many channels that the frames of a cycle do not fit into a page.
        let recorder = try machine.recorder(channels: ChannelLabel.standard(count: 8))
        try recorder.record()
        machine.advance(frames: 4800)
        let disk = try SlowDisk(path: machine.path)
        let isOver = Latch()
        Thread.detachNewThread {
            machine.advance(frames: 48_000)
            isOver.raise()
        }
        try disk.waitUntilBusy(seconds: Self.deadlineSeconds)
        let answers = History<[Double]>()
        let isAnswered = Latch()
        Thread.detachNewThread {
            answers.append([recorder.status.duration, Double(recorder.takeMeasures().count)])
            isAnswered.raise()
        }
        #expect(isAnswered.wait(timeoutSeconds: Self.deadlineSeconds))
        disk.release(until: isOver)
        // What was captured in a cycle is written before the next one: the tenth is on its way.
        #expect(answers.entries == [[0.09, 8]])
        recorder.stop()
        #expect(recorder.status.duration == 1.1)
    }
}

/// Stands in for the disk behind a file that this process writes: a pipe without a reader, full but for one page.
private final class SlowDisk {
    private static let page = 4096
    private let descriptors: [Int32]
    private let file: Int32
    private let pipe: (read: Int32, write: Int32)
    private let capacity: Int32

    init(path: String) throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        descriptors = open.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        file = dup(try #require(descriptors.first, "no thread writes \(path)"))
        var ends: [Int32] = [0, 0]
        let result = Foundation.pipe(&ends)
        pipe = (ends[0], ends[1])
        var bytes = [UInt8](repeating: 0, count: Self.page)
        _ = fcntl(pipe.write, F_SETFL, O_NONBLOCK)
        var filled = 0
        while write(pipe.write, bytes, Self.page) == Self.page { filled += Self.page }
        _ = fcntl(pipe.write, F_SETFL, 0)
        _ = fcntl(pipe.read, F_SETFL, O_NONBLOCK)
        capacity = Int32(filled)
        let taken = read(pipe.read, &bytes, Self.page)
        try #require(result == 0 && taken == Self.page)
        for descriptor in descriptors { dup2(pipe.write, descriptor) }
    }

    deinit { for descriptor in [file, pipe.read, pipe.write] { close(descriptor) } }

    /// A thread waits in a write when the pipe is full.
    func waitUntilBusy(seconds: Double) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var waiting: Int32 = 0
        while waiting < capacity {
            try #require(ContinuousClock.now < deadline, "only \(waiting) bytes of \(capacity) wait to be read")
            sched_yield()
            _ = ioctl(pipe.read, UInt(FIONREAD), &waiting)
        }
    }

    /// The file is a file again; what went into the pipe is lost.
    func release(until isOver: Latch) {
        for descriptor in descriptors { dup2(file, descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.page)
        while !isOver.wait(timeoutSeconds: 0.001) { _ = read(pipe.read, &bytes, bytes.count) }
    }
}
