import Foundation
import RuntimeTestSupport
import TestAudio
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// Files of Apple's classes whose process was killed.
struct KilledRecordingTests {
    static let files: [(name: String, settings: [String: Int])] = [
        ("a.wav", [:]), ("a.aiff", [:]), ("a.caf", [:]), ("a.au", [:]),
        ("law.caf", [AVFormatIDKey: Int(kAudioFormatULaw)]),
        ("a.flac", [:]), ("a.opus", [:]), ("a.mp3", [:]), ("a.m4a", [:]), ("a.aac", [:]),
        ("lossless.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless)]),
    ]

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Of the child process, which does not see the test's own properties.
    private static func url(_ name: String, in directory: String) -> URL { URL(filePath: directory + "/" + name) }

    private static func settings(_ more: [String: Int]) -> [String: Any] {
        more.merging([AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]) { $1 }
    }

    /// Of 3 s, at least 2 s can be read, and at most what was written.
    private func expectAllButASecond(of name: String) throws {
        let file = try AVAudioFile(forReading: Self.url(name, in: directory.path))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 200_000))
        try file.read(into: buffer)
        #expect((96_000...144_000).contains(buffer.frameLength), "\(name): \(buffer.frameLength) frames")
    }

    // Behaviour 101
    @Test func file_thatWasBeingWritten_isReadable() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory.path as String] in
            let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
            let tenth = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800))
            tenth.frameLength = 4800
            let files = try Self.files.map { file in
                try AVAudioFile(
                    forWriting: Self.url(file.name, in: directory), settings: Self.settings(file.settings))
            }
            for _ in 0..<30 { for file in files { try file.write(from: tenth) } }
            kill(getpid(), SIGKILL)
        }
        for file in Self.files { try expectAllButASecond(of: file.name) }
    }

    // Behaviour 101
    @Test func recorder_thatWasRecording_leavesAReadableFile() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory.path as String] in
            let machine = try AppMachine(.phone, devices: [])
            try machine.prepareRecording()
            let recorders = try Self.files.map { file in
                try AVAudioSession.$taskSession.withValue(machine.session) {
                    try AVAudioRecorder(
                        url: Self.url(file.name, in: directory), settings: Self.settings(file.settings))
                }
            }
            for recorder in recorders { #expect(recorder.record()) }
            machine.advance(frames: 3 * 48_000)
            #expect(recorders.allSatisfy { $0.currentTime > 2.9 })
            kill(getpid(), SIGKILL)
        }
        for file in Self.files { try expectAllButASecond(of: file.name) }
    }
}
