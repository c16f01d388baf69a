import AudioModel
import Foundation
import HostDiagnosis
import Synchronization
import Testing

@testable import HostPipeWire

struct WirePlumberRankingTests {
    private static let file = """
        [default-nodes]
        default.configured.audio.sink=usb
        default.configured.audio.sink.0=usb
        default.configured.audio.sink.1=speaker
        default.configured.audio.source=mic
        """

    @Test func storedSinks_areReadAsEachVersionCountsThem() {
        #expect(WirePlumberRanking.storedSinks(.wirePlumber04, inFile: Self.file) == ["usb", "speaker"])
        #expect(WirePlumberRanking.storedSinks(.wirePlumber05, inFile: Self.file) == ["usb", "usb", "speaker"])
        #expect(WirePlumberRanking.storedSinks(.wirePlumber05, inFile: "") == [])
    }

    /// The state of the manager's own process counts, not that of who asks.
    @Test func storedSinks_areThoseOfTheProcess() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("ranking-\(getpid())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let states = directory.appendingPathComponent("wireplumber")
        try FileManager.default.createDirectory(at: states, withIntermediateDirectories: true)
        let file = states.appendingPathComponent("default-nodes")
        try Self.file.write(to: file, atomically: true, encoding: .utf8)
        let (manager, input, output) = (Process(), Pipe(), Pipe())
        manager.executableURL = URL(fileURLWithPath: "/bin/cat")
        manager.environment = ["XDG_STATE_HOME": directory.path]
        (manager.standardInput, manager.standardOutput) = (input, output)
        try manager.run()
        defer { manager.terminate() }
        // Before it answers, it may still be a copy of this process.
        input.fileHandleForWriting.write(Data("a".utf8))
        _ = try output.fileHandleForReading.read(upToCount: 1)
        let id = UInt32(manager.processIdentifier)
        #expect(WirePlumberRanking.storedSinks(.wirePlumber04, ofProcess: id) == ["usb", "speaker"])

        // Where a program has put something else there, nothing is waited for.
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(WirePlumberRanking.storedSinks(.wirePlumber04, ofProcess: id) == [])
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
        #expect(WirePlumberRanking.storedSinks(.wirePlumber04, ofProcess: id) == [])
    }

    @Test func reader_doesNotKeepItsCaller_andReadsOnceMoreForAllThatAskMeanwhile() {
        let (begun, mayEnd, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let processes = Mutex<[UInt32]>([])
        let reader = WirePlumberRankingReader { ranking in
            processes.withLock { $0.append(ranking.process) }
            if ranking.process == 0 {
                begun.signal()
                mayEnd.wait()
            } else {
                ended.signal()
            }
        }
        reader.read(ofProcess: 0)
        #expect(begun.wait(timeout: .now() + 30) == .success)
        for process in UInt32.max - 2...UInt32.max { reader.read(ofProcess: process) }
        #expect(processes.withLock { $0 } == [0])
        mayEnd.signal()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(processes.withLock { $0 } == [0, .max])
    }

    @Test func version_isThatOfTheLibrary() {
        func rules(_ library: String) -> SinkRanking.Rules {
            WirePlumberRanking.rules(
                ofMaps: "7f0 r--p 00000000 fe:00 1 /usr/lib/x86_64-linux-gnu/\(library)\n7f1 rw-p 0 0:0 0\n")
        }
        #expect(rules("libwireplumber-0.4.so.0.4.13") == .wirePlumber04)
        #expect(rules("libwireplumber-0.5.so.0.508.0") == .wirePlumber05)
        #expect(rules("libwireplumber-0.5.so.0.511.0") == .wirePlumber0511)
        #expect(rules("libwireplumber-0.5.so.0.518.0") == .wirePlumber0518)
        #expect(rules("libwireplumber-0.5.so.0.600.1") == .wirePlumber0518)
        #expect(rules("libc.so.6") == .wirePlumber05)
        #expect(rules("libwireplumber-0.5.so.0.99999999999999999999") == .wirePlumber05)
    }

    @Test func unknownProcess_hasTheNewerRules() {
        let names = ["4.so.0.4.13", "5.so.0.508.0", "5.so.0.518.0"].map {
            "7f0 r /usr/lib/libwireplumber-0.\($0)\n7f1 rw"
        }
        #expect(names.map(WirePlumberRanking.version(ofMaps:)) == ["0.4.13", "0.5.8", "0.5.18"])
        #expect(WirePlumberRanking.version(ofMaps: "7f0 r /usr/bin/other\n") == nil)
        #expect(WirePlumberRanking.rules(ofProcess: 0) == .wirePlumber05)
        #expect(WirePlumberRanking.rules(ofProcess: UInt32.max) == .wirePlumber05)
    }
}
