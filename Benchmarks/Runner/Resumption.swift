import AudioFiles
import CoreMedia
import Foundation
import HostPipeWire
import OpenAVFoundation
import OpenAudioSession
import PipeWireRig
import SessionRuntime
import TestAudio

/// Whether `AVPlayer` goes on where it was, each time that another process has interrupted it.
enum Resumption {
    private static let rounds = 200
    /// The first frame at full level is so many behind the place: the last one of the fade.
    private static let fadeFrames = 239
    private static let fileSeconds = 60

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            try PrivatePipeWire.withSpeaker(capturing: .seconds(2)) { server, speaker in
                let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
                defer { runtime.shutdown() }
                let session = AVAudioSession(runtime: runtime)
                try session.setCategory(.playback)
                let file = URL(filePath: try numberedFile(in: directory))
                let player = AVAudioSession.$taskSession.withValue(session) { AVPlayer(url: file) }
                player.play()
                var offsets: [Int] = []
                var standstills = 0
                try rounds.run(Self.rounds, of: "interruptions") { _ in
                    if player.currentTime().seconds > Double(fileSeconds) / 2 { player.seek(to: .zero) }
                    try wait(for: "the sound") { heardFrames(speaker).count > 24_000 }
                    let call = try ChildProgram.call(seconds: 0.2, of: server)
                    defer { call.end() }
                    try wait(for: "the interruption") { player.rate == 0 }
                    // The fade.
                    usleep(100_000)
                    let place = player.currentTime()
                    usleep(50_000)
                    if player.rate == 0, player.currentTime() == place { standstills += 1 }
                    try wait(for: "the end of the interruption") { player.rate == 1 }
                    var heard: ArraySlice<Int> = []
                    try wait(for: "the sound") {
                        heard = heardFrames(speaker)
                        return heard.count > 9600
                    }
                    guard let first = heard.first else { return }
                    let expected = Int((place.seconds * 48_000).rounded()) + fadeFrames
                    offsets.append(NumberedSamples.distance(from: NumberedSamples.number(ofFrame: expected), to: first))
                }
                let distribution = Distribution(offsets.map { Double(abs($0)) })
                var report = Report(
                    title: "resumption: AVPlayer after interruptions by another process",
                    comparison: """
                        `audiosession call` interrupts an `AVPlayer` of this process and ends again. Each sample of the file \
                        says which frame it is: the first one at full level after the interruption is compared with \
                        `currentTime()` during it, a fade of \(fadeFrames) frames later.
                        """,
                    columns: ["frames", "N", "median", "95 %", "max"])
                report.rows = [["from the place, lost or repeated"] + distribution.cells]
                report.notes = [
                    "`currentTime()` stood still in \(standstills) of \(offsets.count) interruptions.",
                    "The greatest distances were \(offsets.min() ?? 0) and \(offsets.max() ?? 0) frames.",
                ]
                return report
            }
        }
    }

    /// The numbers of the newest frames, as far back as each is the one after that before it.
    private static func heardFrames(_ speaker: VirtualSink) -> ArraySlice<Int> {
        let frames = (speaker.meter.capturedSamples().first ?? []).map(NumberedSamples.frame)
        var first = frames.count
        while first > 0, let frame = frames[first - 1],
            first == frames.count || frames[first].map({ NumberedSamples.distance(from: frame, to: $0) }) == 1
        {
            first -= 1
        }
        return frames[first...].compactMap { $0 }[...]
    }

    private static func numberedFile(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path("numbered.wav")
        let writer = try AudioFileWriter(
            path: path, type: AudioFileType(container: .wav, coding: .float(bits: 32)), sampleRate: 48_000,
            channels: [.left, .right])
        for second in 0..<fileSeconds {
            try writer.write(
                (0..<48_000).flatMap { frame -> [Float] in
                    let sample = NumberedSamples.sample(ofFrame: second * 48_000 + frame)
                    return [sample, sample]
                })
        }
        try writer.close()
        return path
    }
}
