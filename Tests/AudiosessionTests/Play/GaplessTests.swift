import AudioRuntime
import HostSimulated
import OpenAVFAudio
import TestAudio
import Testing

@testable import audiosession

/// `play` on a real session of the simulated host, in virtual time: every frame of every file is counted.
@Suite struct GaplessTests {
    /// Half a second.
    private static let frames = 24_000

    /// Plays the files, and returns what the headphones played from the first frame on: `[channel][frame]`.
    private func heard(_ paths: [String], seconds: Double, change: (inout PlayPlan) -> Void = { _ in }) throws
        -> [[Float]]
    {
        let runtime = try SessionRuntime(host: SimulatedHost(.phone))
        let backend = SessionBackend(session: AVAudioSession(runtime: runtime))
        defer { backend.close() }
        let output = CapturedOutput()
        let inbox = Inbox<RunInput<PlayRunner.Report>>()
        let simulator = try #require(backend.simulator)
        try backend.configure(SessionSettings())
        var plan = PlayPlan(items: PlayPlan.items(paths))
        change(&plan)
        let runner = PlayRunner(
            RunContext(
                backend: backend,
                log: EventLog(display: LineDisplay(output: output, errors: output, style: .errorsOnly)),
                deliver: { inbox.post($0) }), plan: plan)
        runner.begin()
        let end = simulator.now + seconds
        while simulator.now < end, !runner.isDone {
            simulator.advance(bySeconds: 0.02)
            for input in inbox.take() { runner.handle(input) }
        }
        runner.close()
        #expect(output.text == "")
        let captures = simulator.recordings
        let channels = try #require(captures.first { $0.port.portType == "Headphones" }).channels
        // A ramp's second channel begins with 100 / 32 768.
        let start = try #require(channels[1].firstIndex { $0 != 0 })
        return channels.map { Array($0[start...]) }
    }

    @Test func files_followWithoutAFrameBetweenThem() throws {
        try withTemporaryDirectory { directory in
            let paths = try [AudioFileFormat.wav16, .flac16, .aiff16].map {
                try TestFile.write(.ramp, seconds: 0.5, format: $0, in: directory)
            }
            let heard = try heard(paths, seconds: 2)
            let round = TestSignal.ramp.planar(0..<Self.frames)
            for channel in 0..<2 {
                let played = Array(heard[channel].prefix(3 * Self.frames))
                #expect(played == Array([round, round, round].map { $0[channel] }.joined()))
                #expect(heard[channel].dropFirst(3 * Self.frames).allSatisfy { $0 == 0 })
            }
        }
    }
}
