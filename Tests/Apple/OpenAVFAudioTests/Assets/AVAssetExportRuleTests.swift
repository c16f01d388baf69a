import CAudioTypes
import CoreMedia
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// The life of an export: its status, what it leaves behind, and how it is ended while it works.
@Suite struct AVAssetExportRuleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func session(
        _ preset: String = AVAssetExportPresetAppleM4A, seconds: Double = 0.5
    ) throws -> AVAssetExportSession {
        let asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: seconds, in: directory)))
        return try #require(AVAssetExportSession(asset: asset, presetName: preset))
    }

    private func url(_ name: String = "out.m4a") -> URL { URL(filePath: directory.path(name)) }

    private func isThere(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// A session that stands in the middle of its work, in a tap of the app, until the gate is opened.
    private func standing(at gate: Gate) throws -> AVAssetExportSession {
        let session = try session(seconds: 2)
        let meter = TapMeter()
        let calls = History<Int>()
        meter.work.withLock {
            $0 = { tap, frames, list, framesOut in
                MTAudioProcessingTapGetSourceAudio(tap, frames, list.unsafeMutablePointer, nil, nil, framesOut)
                calls.append(frames)
                if calls.count == 5 { gate.hold() }
            }
        }
        session.audioMix = AVAudioMix.of(meter.makeTap())
        (session.outputURL, session.outputFileType) = (url(), .m4a)
        return session
    }

    @Test func export_isWaiting_thenExporting_thenCompleted() async throws {
        let gate = Gate()
        let session = try standing(at: gate)
        #expect(session.status == .unknown && session.progress == 0)
        let ends = History<AVAssetExportSession.Status>()
        session.exportAsynchronously { ends.append(session.status) }
        #expect(session.status == .waiting || session.status == .exporting)
        gate.waitUntilReached()
        // In its fifth part of 4096 frames of 96 000: two buffers of 8192 were encoded.
        #expect(session.status == .exporting && session.error == nil)
        #expect((0.1...0.5).contains(session.progress))
        // A second call waits for nothing, and changes nothing.
        session.exportAsynchronously { ends.append(session.status) }
        try ends.wait(for: "the second call") { $0 == [.exporting] }
        gate.open()
        try ends.wait(for: "the end") { $0 == [.exporting, .completed] }
        #expect(session.progress == 1 && session.error == nil && isThere(url()))
        session.cancelExport()
        #expect(session.status == .completed && isThere(url()))
    }

    @Test func export_thatIsCancelledMeanwhile_leavesNoFile() throws {
        let gate = Gate()
        let session = try standing(at: gate)
        let ends = History<AVAssetExportSession.Status>()
        session.exportAsynchronously { ends.append(session.status) }
        gate.waitUntilReached()
        #expect(isThere(url()), "a part of it is written")
        session.cancelExport()
        #expect(session.status == .cancelled)
        gate.open()
        try ends.wait(for: "the end") { $0 == [.cancelled] }
        #expect(session.error == nil && session.progress < 1 && !isThere(url()))
    }

    @Test func task_thatIsCancelled_endsItsExport_withACancellationError() async throws {
        let gate = Gate()
        let session = try standing(at: gate)
        let url = url("task.m4a")
        let task = Task { try await session.export(to: url, as: .m4a) }
        await withCheckedContinuation { reached in
            Thread.detachNewThread {
                gate.waitUntilReached()
                reached.resume()
            }
        }
        task.cancel()
        gate.open()
        let error = await #expect(throws: CancellationError.self) { try await task.value }
        #expect(error != nil && session.status == .cancelled && !isThere(url))
    }

    @Test func parts_areAsLongToTheFrame() async throws {
        var random = Seeded(seed: 94)
        for round in 0..<4 {
            let session = try session()
            let start = Int64.random(in: 0..<12_000, using: &random)
            let count = Int64.random(in: 2000...12_000, using: &random)
            session.timeRange = CMTimeRange(
                start: CMTime(value: start, timescale: 48_000), duration: CMTime(value: count, timescale: 48_000))
            try await session.export(to: url("\(round).m4a"), as: .m4a)
            #expect(try AVAudioFile(forReading: url("\(round).m4a")).length == count)
        }
    }

    @Test func export_withoutAnAddressOrAType_fails_andNamesWhatIsMissing() async throws {
        func failure(_ url: URL?, _ type: AVFileType?) async throws -> String {
            let session = try session()
            (session.outputURL, session.outputFileType) = (url, type)
            await session.export()
            #expect(session.status == .failed)
            return session.error?.localizedDescription ?? ""
        }
        #expect(try await failure(nil, .m4a).contains("no outputURL of a file: set one."))
        #expect(try await failure(URL(string: "https://127.0.0.1/a.m4a"), .m4a).contains("no outputURL of a file"))
        let hint = "does not write a file without outputFileType: use one of com.apple.m4a-audio."
        #expect(try await failure(url(), nil).contains(hint))
        #expect(try await failure(url(), AVFileType(rawValue: "x\u{1B}[2J")).contains("\"x\u{FFFD}[2J\""))
        #expect(!isThere(url()))
        // A directory that does not exist.
        #expect(try await !failure(url("missing/a.m4a"), .m4a).isEmpty)
    }

    @Test func passthrough_isTheWholeFile_orAnError() async throws {
        let parts = [
            CMTimeRange(start: .zero, duration: .positiveInfinity), .invalid,
            CMTimeRange(start: CMTime(value: -1, timescale: 1), duration: CMTime(value: 10, timescale: 1)),
            CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 2)),
        ]
        for (index, part) in parts.enumerated() {
            let session = try session(AVAssetExportPresetPassthrough)
            session.timeRange = part
            try await session.export(to: url("\(index).wav"), as: .wav)
            let location = session.asset.location
            #expect(try Data(contentsOf: url("\(index).wav")) == (try Data(contentsOf: location)))
        }
        let session = try session(AVAssetExportPresetPassthrough)
        session.timeRange = CMTimeRange(start: .zero, duration: CMTime(value: 23_999, timescale: 48_000))
        let error = await #expect(throws: NSError.self) { try await session.export(to: self.url("part.wav"), as: .wav) }
        #expect(error?.localizedDescription.contains("copies a whole file to one of the same type") == true)
        #expect(session.status == .failed && !isThere(url("part.wav")))
    }
}
