import CoreMedia
import Foundation
import MediaStreams
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles
@testable import OpenAVFoundation

/// Assets whose bytes an app gives.
@Suite struct AVAssetResourceLoaderTests {
    private let directory: TemporaryDirectory
    private let bytes: Data
    private let queue = DispatchQueue(label: "loader")
    private static let seconds = 8.0

    init() throws {
        directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: Self.seconds, format: .wav16, in: directory)
        bytes = try Data(contentsOf: URL(filePath: path))
    }

    private final class Delegate: NSObject, AVAssetResourceLoaderDelegate, Sendable {
        typealias Answer = @Sendable (AVAssetResourceLoadingRequest) -> Bool
        let log = History<String>()
        let requests = History<AVAssetResourceLoadingRequest>()
        let answer: Answer

        init(_ answer: @escaping Answer) { self.answer = answer }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            shouldWaitForLoadingOfRequestedResource request: AVAssetResourceLoadingRequest
        ) -> Bool {
            let data = request.dataRequest
            let facts = request.contentInformationRequest == nil ? "" : " facts"
            let isAll = data?.requestsAllDataToEndOfResource == true ? " to the end" : ""
            log.append("\(data?.requestedOffset ?? -1) \(data?.requestedLength ?? -1)\(facts)\(isAll)")
            requests.append(request)
            return answer(request)
        }

        func resourceLoader(_ resourceLoader: AVAssetResourceLoader, didCancel request: AVAssetResourceLoadingRequest) {
            log.append("cancel \(request.dataRequest?.requestedOffset ?? -1) \(request.isCancelled)")
        }
    }

    private func asset(_ delegate: Delegate?) throws -> AVURLAsset {
        let asset = AVURLAsset(url: try #require(URL(string: "cache://sounds/1.wav")))
        asset.resourceLoader.setDelegate(delegate, queue: queue)
        return asset
    }

    /// Tells the facts and gives what is asked for, and what `more` adds.
    private func giver(hasPieces: Bool = true, length: Int64? = nil, more: Int = 0) -> Delegate {
        Delegate { [bytes] request in
            let facts = request.contentInformationRequest
            facts?.contentLength = length ?? Int64(bytes.count)
            facts?.isByteRangeAccessSupported = hasPieces
            facts?.contentType = "public.audio"
            if let data = request.dataRequest {
                let wanted = data.requestedLength == .max ? bytes.count : data.requestedLength + more
                let piece = bytes.dropFirst(Int(data.requestedOffset)).prefix(wanted)
                // In two parts, from another thread.
                DispatchQueue.global().async {
                    data.respond(with: piece.prefix(1000))
                    data.respond(with: piece.dropFirst(1000))
                    request.finishLoading()
                }
            }
            return true
        }
    }

    /// Of the left channel, as a player reads them.
    private func frames(of asset: AVAsset, from start: Double = 0) throws -> [Float] {
        let reader = try asset.reader(outputSampleRate: nil)
        try reader.seek(toSeconds: start)
        var frames: [Float] = []
        var samples = [Float](repeating: 0, count: 8192)
        while true {
            let got = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            guard got > 0 || reader.isWaiting else { return frames }
            if got == 0 { sched_yield() }
            frames += (0..<got).map { samples[$0 * 2] }
        }
    }

    private func error(of asset: AVURLAsset) async -> String {
        do {
            _ = try await asset.load(.duration)
            return "none"
        } catch {
            return error.localizedDescription
        }
    }

    @Test func bytes_areAskedForInPieces_andAreTheFiles() async throws {
        let delegate = giver()
        let asset = try asset(delegate)
        #expect(asset.resourceLoader.delegate === delegate && asset.resourceLoader.delegateQueue === queue)
        #expect(try await asset.load(.duration).seconds == Self.seconds)
        let file = AVURLAsset(url: URL(filePath: directory.path("whole.wav")))
        try bytes.write(to: file.url)
        #expect(try frames(of: asset) == frames(of: file))
        #expect(try frames(of: asset, from: 7) == frames(of: file, from: 7))
        let log = delegate.log.entries
        #expect(log.first == "0 2 facts")
        #expect(log.contains("0 1048576") && log.contains { $0.hasSuffix(" to the end") })
        #expect(log.filter { $0.hasSuffix("facts") }.count == log.filter { $0 == "0 2 facts" }.count)
        let request = try #require(delegate.requests.entries.first)
        #expect(request.isFinished && !request.isCancelled && request.request.url == asset.url)
        #expect(request.dataRequest?.currentOffset == 2)
        #expect(request.contentInformationRequest?.contentType == "public.audio")
        #expect(request.contentInformationRequest?.contentLength == Int64(bytes.count))
        #expect(request.contentInformationRequest?.isByteRangeAccessSupported == true)
    }

    /// Also of an app that does not know how many bytes there are.
    @Test(arguments: [nil, 0] as [Int64?])
    func bytesWithoutPieces_areAskedForOnce_fromTheBeginning(length: Int64?) throws {
        let delegate = giver(hasPieces: false, length: length)
        let asset = try asset(delegate)
        let file = AVURLAsset(url: URL(filePath: directory.path("whole.wav")))
        try bytes.write(to: file.url)
        #expect(try frames(of: asset) == frames(of: file))
        #expect(Set(delegate.log.entries).count == 2 && delegate.log.entries[1].hasSuffix(" to the end"))
    }

    @Test func bytesThatAreTooMany_areDropped_andTheirRequestIsCancelled() throws {
        let delegate = giver(more: 5000)
        let asset = try asset(delegate)
        #expect(try frames(of: asset).count == Int(Self.seconds * 48_000))
        try delegate.log.wait(for: "the cancellation") { $0.contains("cancel 0 true") }
    }

    @Test func failures_areTold_inTheAppsWords() async throws {
        let refusal = Delegate { request in
            request.finishLoading(
                with: CocoaError(.fileReadNoPermission, userInfo: [NSLocalizedDescriptionKey: "no\u{1B} key"]))
            request.finishLoading()
            return true
        }
        #expect(await error(of: try asset(refusal)) == "\"cache://sounds/1.wav\" cannot be opened: no\u{FFFD} key.")
        let passer = Delegate { _ in false }
        #expect(
            await error(of: try asset(passer))
                == "\"cache://sounds/1.wav\" cannot be opened: its loader's delegate does not load it.")
        let empty = Delegate { request in
            request.finishLoading(with: nil)
            return true
        }
        #expect(await error(of: try asset(empty)).contains("is not a sound that can be played"))
        #expect(await error(of: try asset(nil)).contains("set a delegate of the asset's resourceLoader"))
        final class Silent: NSObject, AVAssetResourceLoaderDelegate {}
        let silent = Silent()
        let asset = AVURLAsset(url: try #require(URL(string: "cache://sounds/2.wav")))
        asset.resourceLoader.setDelegate(silent, queue: nil)
        #expect(await error(of: asset).contains("does not load it"))
    }

    /// An item that goes ends the wait for its app.
    @Test func requestThatIsNotNeeded_isCancelled() throws {
        let delegate = Delegate { _ in true }
        let cancellation = Cancellation()
        let asset = try asset(delegate)
        let isOver = History<Bool>()
        Thread.detachNewThread {
            isOver.append((try? asset.reader(outputSampleRate: nil, cancellation: cancellation)) == nil)
        }
        try delegate.log.wait(for: "the request") { $0.count == 1 }
        cancellation.cancel()
        #expect(try isOver.wait(for: "the end") { !$0.isEmpty } == [true])
        try delegate.log.wait(for: "the cancellation") { $0.last == "cancel 0 true" }
    }
}
