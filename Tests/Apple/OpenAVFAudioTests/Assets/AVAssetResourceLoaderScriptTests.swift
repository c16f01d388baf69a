import CoreMedia
import Foundation
import Synchronization
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles
@testable import OpenAVFoundation

/// Apps that give the bytes of an asset in their own way: bit by bit, out of other threads, too few, wrongly announced.
@Suite struct AVAssetResourceLoaderScriptTests {
    private let directory: TemporaryDirectory
    private let bytes: Data
    private let expected: [Float]
    private let queue = DispatchQueue(label: "loader")

    init() throws {
        directory = try TemporaryDirectory()
        bytes = try Data(contentsOf: URL(filePath: TestFile.write(.ramp, seconds: 1, in: directory)))
        expected = TestSignal.ramp.planar(0..<48_000)[0]
    }

    private final class Delegate: NSObject, AVAssetResourceLoaderDelegate, Sendable {
        typealias Answer = @Sendable (AVAssetResourceLoadingRequest) -> Bool
        let answer: Answer
        init(_ answer: @escaping Answer) { self.answer = answer }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            shouldWaitForLoadingOfRequestedResource request: AVAssetResourceLoadingRequest
        ) -> Bool { answer(request) }
    }

    /// What an app says of the whole, and how much of each request it gives, in pieces of which length.
    private func delegate(
        length: Int64? = nil, hasPieces: Bool = true,
        _ pieces: @escaping @Sendable (_ wanted: Int) -> [Int]
    ) -> Delegate {
        Delegate { [bytes] request in
            let facts = request.contentInformationRequest
            facts?.contentLength = length ?? Int64(bytes.count)
            facts?.isByteRangeAccessSupported = hasPieces
            guard let data = request.dataRequest else { return false }
            DispatchQueue.global().async {
                let whole = bytes.dropFirst(Int(data.requestedOffset)).prefix(min(data.requestedLength, bytes.count))
                var rest = whole
                for count in pieces(whole.count) {
                    data.respond(with: rest.prefix(count))
                    rest = rest.dropFirst(count)
                }
                request.finishLoading()
            }
            return true
        }
    }

    private func asset(_ delegate: Delegate) throws -> AVURLAsset {
        let asset = AVURLAsset(url: try #require(URL(string: "cache://sounds/1.wav")))
        asset.resourceLoader.setDelegate(delegate, queue: queue)
        return asset
    }

    /// The left channel from a frame on.
    private func frames(of asset: AVAsset, from start: Int = 0) throws -> [Float] {
        let reader = try asset.reader(outputSampleRate: nil)
        try reader.seek(toSeconds: Double(start) / 48_000)
        var frames: [Float] = []
        var samples = [Float](repeating: 0, count: 8192)
        while true {
            let got = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            guard got > 0 || reader.isWaiting else { return frames }
            if got == 0 { sched_yield() }
            frames += (0..<got).map { samples[$0 * 2] }
        }
    }

    @Test func bytes_inPiecesOfAnyLength_areTheSound() throws {
        for seed in 0..<12 as Range<UInt64> {
            let random = Mutex(Seeded(seed: seed))
            let delegate = delegate { wanted in
                random.withLock { random in
                    var (pieces, rest) = ([Int](), wanted)
                    while rest > 0 {
                        pieces.append(min(Int.random(in: 0...40_000, using: &random), rest))
                        rest -= pieces[pieces.count - 1]
                    }
                    return pieces
                }
            }
            let asset = try asset(delegate)
            let start = random.withLock { Int.random(in: 0..<48_000, using: &$0) }
            #expect(try frames(of: asset, from: start) == Array(expected.dropFirst(start)), "seed \(seed)")
            withExtendedLifetime(delegate) {}
        }
    }

    /// What a request lacks is asked for again.
    @Test func requests_thatEndEarly_areAskedAgain_untilTheSoundIsThere() throws {
        let requests = Atomic(0)
        let random = Mutex(Seeded(seed: 94))
        let delegate = delegate { wanted in
            requests.add(1, ordering: .relaxed)
            return [random.withLock { Int.random(in: max(1, wanted / 4)...max(1, wanted), using: &$0) }]
        }
        #expect(try frames(of: try asset(delegate)) == expected)
        #expect(requests.load(ordering: .relaxed) > 3)
        withExtendedLifetime(delegate) {}
    }

    /// An app that never gives a byte must not be asked for ever.
    @Test func requests_thatEndWithoutAByte_endTheSound() throws {
        let delegate = delegate { _ in [] }
        #expect(throws: AudioFileError.self) { try frames(of: try asset(delegate)) }
        withExtendedLifetime(delegate) {}
    }

    @Test func failureInTheMiddle_isTheEnd_inTheAppsWords() async throws {
        let bytes = bytes
        let delegate = Delegate { request in
            request.contentInformationRequest?.contentLength = Int64(bytes.count)
            request.contentInformationRequest?.isByteRangeAccessSupported = true
            guard let data = request.dataRequest else { return false }
            let first = Int(data.requestedOffset)
            data.respond(with: bytes.dropFirst(first).prefix(max(0, 100_000 - first)))
            if first + data.requestedLength > 100_000 {
                request.finishLoading(
                    with: CocoaError(.fileReadNoPermission, userInfo: [NSLocalizedDescriptionKey: "the key is gone"]))
            } else {
                request.finishLoading()
            }
            return true
        }
        let asset = try asset(delegate)
        let error = #expect(throws: AudioFileError.self) { try frames(of: asset) }
        #expect(error?.message.contains("the key is gone") == true, "\(String(describing: error))")
        withExtendedLifetime(delegate) {}
    }

    /// The file's own header says how long the sound is; what an app says of it is no reason to read beyond it or to hang.
    @Test(arguments: [0, 1, 44, 50_000, 192_044, 400_000, -7, .max] as [Int64])
    func lengthThatIsWrong_givesNoOtherSound(length: Int64) throws {
        let delegate = delegate(length: length) { [$0] }
        let heard = (try? frames(of: try asset(delegate))) ?? []
        #expect(heard == Array(expected.prefix(heard.count)))
        if length == bytes.count { #expect(heard.count == 48_000) }
        withExtendedLifetime(delegate) {}
    }

    /// It goes in its answer to the first request; the next one finds no delegate.
    @Test func delegate_thatIsGone_isTheReason() throws {
        let holder = Mutex<Delegate?>(nil)
        let asset = AVURLAsset(url: try #require(URL(string: "cache://sounds/1.wav")))
        let answers = Atomic(0)
        holder.withLock {
            $0 = Delegate { [bytes] request in
                answers.add(1, ordering: .relaxed)
                request.contentInformationRequest?.contentLength = Int64(bytes.count)
                request.contentInformationRequest?.isByteRangeAccessSupported = true
                request.dataRequest?.respond(with: bytes.prefix(2))
                holder.withLock { $0 = nil }
                request.finishLoading()
                return true
            }
            asset.resourceLoader.setDelegate($0, queue: queue)
        }
        let error = #expect(throws: AudioFileError.self) { try asset.reader(outputSampleRate: nil) }
        #expect(error?.message.contains("its loader's delegate is gone") == true, "\(String(describing: error))")
        #expect(answers.load(ordering: .relaxed) == 1 && asset.resourceLoader.delegate == nil)
    }
}
