import CAudioTypes
import CoreMedia
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// Tracks, what a reader gives of them, and what an export writes.
@Suite struct AVAssetReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func asset(_ seconds: Double = 0.5, _ format: AudioFileFormat = .wav16) throws -> AVURLAsset {
        AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: seconds, format: format, in: directory)))
    }

    private static var int16: [String: Any] {
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
            AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: false,
        ]
    }

    private func read(
        _ asset: AVAsset, _ settings: [String: Any] = int16, _ range: CMTimeRange? = nil
    ) throws -> (reader: AVAssetReader, buffers: [CMSampleBuffer]) {
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: settings)
        #expect(reader.canAdd(output))
        reader.add(output)
        if let range { reader.timeRange = range }
        #expect(reader.startReading())
        var buffers: [CMSampleBuffer] = []
        while let buffer = output.copyNextSampleBuffer() { buffers.append(buffer) }
        return (reader, buffers)
    }

    private func samples<Sample>(_ buffers: [CMSampleBuffer], as type: Sample.Type) throws -> [Sample] {
        try buffers.flatMap { buffer in
            let block = try #require(CMSampleBufferGetDataBuffer(buffer))
            let count = CMBlockBufferGetDataLength(block)
            var bytes = [UInt8](repeating: 0, count: count)
            #expect(
                CMBlockBufferCopyDataBytes(block, atOffset: 0, dataLength: count, destination: &bytes)
                    == kCMBlockBufferNoErr)
            #expect(CMSampleBufferInvalidate(buffer) == 0)
            return bytes.withUnsafeBytes { Array($0.bindMemory(to: Sample.self)) }
        }
    }

    // MARK: Tracks

    @Test func asset_hasOneTrackOfSound() async throws {
        let asset = try asset()
        let number: CMPersistentTrackID = 1
        let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        #expect(asset.tracks == [track] && asset.tracks(withMediaType: .audio) == [track])
        #expect(asset.tracks(withMediaType: .video).isEmpty)
        #expect(asset.tracks(withMediaCharacteristic: .audible) == [track])
        #expect(try await asset.loadTracks(withMediaCharacteristic: .audible) == [track])
        for other in [AVMediaCharacteristic.visual, .legible] {
            #expect(asset.tracks(withMediaCharacteristic: other).isEmpty)
            #expect(try await asset.loadTracks(withMediaCharacteristic: other).isEmpty)
        }
        #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
        #expect(asset.track(withTrackID: number) == track && asset.track(withTrackID: 2) == nil)
        #expect(track.asset === asset && track.trackID == 1 && track.mediaType == .audio)
        #expect(track.isPlayable && track.isDecodable && track.isEnabled)
        #expect(track.naturalTimeScale == 48_000)
        #expect(track.timeRange.duration == asset.duration)
        let (descriptions, range, scale) = try await track.load(.formatDescriptions, .timeRange, .naturalTimeScale)
        #expect(range == track.timeRange && scale == 48_000)
        #expect(try await track.load(.isPlayable))
        let description: CMAudioFormatDescription = try #require(descriptions.first)
        let stream = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(description)).pointee
        #expect((stream.mSampleRate, stream.mChannelsPerFrame) == (48_000, 2))
        #expect(description.audioStreamBasicDescription?.mChannelsPerFrame == 2)
        let kind: CMMediaType = CMFormatDescriptionGetMediaType(description)
        #expect(kind == kCMMediaType_Audio)
        #expect(CMFormatDescriptionGetMediaSubType(description) == kAudioFormatLinearPCM)
        #expect(AVAudioFormat(cmAudioFormatDescription: description).channelCount == 2)
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
        #expect(format.formatDescription.audioStreamBasicDescription?.mSampleRate == 44_100)
        #expect(track.formatDescriptions.count == 1)
        let missing = AVURLAsset(url: URL(filePath: "/missing.wav"))
        #expect(missing.tracks.isEmpty)
        await #expect(throws: NSError.self) { try await missing.load(.tracks) }
        let told = await withCheckedContinuation { continuation in
            missing.loadTracks(withMediaType: .audio) { tracks, error in
                continuation.resume(returning: tracks == nil && error != nil)
            }
        }
        #expect(told)
    }

    @Test func mediaTypes_andFileTypes_haveApplesNames() {
        let media: [AVMediaType] = [.audio, .video, .text, .subtitle, .metadata]
        #expect(media.map(\.rawValue) == ["soun", "vide", "text", "sbtl", "meta"])
        let files: [AVFileType] = [.m4a, .mp4, .mov, .wav, .aiff, .caf, .mp3]
        #expect(
            files.map(\.rawValue) == [
                "com.apple.m4a-audio", "public.mpeg-4", "com.apple.quicktime-movie", "com.microsoft.waveform-audio",
                "public.aiff-audio", "com.apple.coreaudio-format", "public.mp3",
            ])
    }

    @Test func valuesOfAMetadataItem_areThereFromTheStart() async {
        let item = AVMutableMetadataItem()
        await withCheckedContinuation { answer in
            item.loadValuesAsynchronously(forKeys: ["value"]) { answer.resume() }
        }
        #expect(item.statusOfValue(forKey: "value", error: nil) == .loaded)
    }

    @Test func values_areLoadedByTheirNames() async throws {
        func load(_ asset: AVAsset) async -> (AVKeyValueStatus, NSError?) {
            await withCheckedContinuation { continuation in
                asset.loadValuesAsynchronously(forKeys: ["playable", "duration"]) { continuation.resume() }
            }
            var error: NSError?
            return (asset.statusOfValue(forKey: "playable", error: &error), error)
        }
        let asset = try asset()
        #expect(asset.statusOfValue(forKey: "playable", error: nil) == .unknown)
        #expect(await load(asset) == (.loaded, nil))
        let read = AVURLAsset(url: asset.url)
        _ = try await read.load(.duration)
        #expect(read.statusOfValue(forKey: "duration", error: nil) == .loaded)
        let (status, error) = await load(AVURLAsset(url: URL(filePath: "/missing.wav")))
        #expect(status == .failed && error?.code == -1100)
        let cancelled = AVURLAsset(url: asset.url)
        cancelled.beginLoading()
        #expect(cancelled.statusOfValue(forKey: "duration", error: nil) == .loading)
        cancelled.cancelLoading()
        cancelled.finishLoading(.success(()))
        #expect(cancelled.statusOfValue(forKey: "duration", error: nil) == .cancelled)
        #expect(await load(cancelled) == (.loaded, nil))
    }

    // MARK: Reading

    @Test(arguments: [AudioFileFormat.wav16, .flac16]) func reader_givesEveryFrame(_ format: AudioFileFormat) throws {
        let (reader, buffers) = try read(try asset(0.5, format))
        #expect(reader.status == .completed)
        let counts: [CMItemCount] = buffers.map(\.numSamples)
        #expect(counts == [8192, 8192, 7616])
        #expect(buffers.map { CMSampleBufferGetNumSamples($0) }.reduce(0, +) == 24_000)
        #expect(buffers.map { CMSampleBufferGetPresentationTimeStamp($0).value } == [0, 8192, 16_384])
        #expect(CMSampleBufferGetDuration(buffers[0]) == CMTime(value: 8192, timescale: 48_000))
        #expect(CMSampleBufferGetTotalSampleSize(buffers[0]) == buffers[0].totalSampleSize)
        #expect(buffers[0].totalSampleSize == 8192 * 4 && CMSampleBufferIsValid(buffers[0]))
        let description = try #require(CMSampleBufferGetFormatDescription(buffers[0]))
        #expect(description.audioStreamBasicDescription?.mBitsPerChannel == 16)
        let planes = TestSignal.ramp.planar(0..<24_000)
        let wanted = (0..<24_000).flatMap { frame in planes.map { Int16(($0[frame] * 32_768).rounded()) } }
        #expect(try samples(buffers, as: Int16.self) == wanted)
    }

    @Test func reader_ofAPart_beginsAndEndsAtItsFrames() throws {
        let range = CMTimeRange(
            start: CMTime(value: 4801, timescale: 48_000), duration: CMTime(value: 1000, timescale: 48_000))
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
            AVLinearPCMIsNonInterleaved: true,
        ]
        let (reader, buffers) = try read(try asset(), settings, range)
        #expect(reader.timeRange == range)
        #expect(buffers.map(\.presentationTimeStamp) == [range.start])
        // The channels one after the other.
        #expect(try samples(buffers, as: Float.self) == TestSignal.ramp.planar(4801..<5801).flatMap(\.self))
        let list = AudioBufferList.allocate(maximumBuffers: 2)
        defer { list.unsafeMutablePointer.deallocate() }
        var (needed, block): (Int, CMBlockBuffer?) = (0, nil)
        #expect(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                buffers[0], bufferListSizeNeededOut: &needed, bufferListOut: list.unsafeMutablePointer,
                bufferListSize: AudioBufferList.sizeInBytes(maximumBuffers: 2),
                flags: kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment, blockBufferOut: &block) == 0)
        #expect(needed == AudioBufferList.sizeInBytes(maximumBuffers: 2))
        #expect(list.map(\.mDataByteSize) == [4000, 4000] && block === buffers[0].dataBuffer)
        #expect(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                buffers[0], bufferListSizeNeededOut: nil, bufferListOut: list.unsafeMutablePointer, bufferListSize: 1,
                flags: 0, blockBufferOut: &block) == kCMSampleBufferError_RequiredParameterMissing)
    }

    @Test func reader_convertsRateAndChannels() throws {
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 16_000, AVNumberOfChannelsKey: 1,
        ]
        let (reader, buffers) = try read(try asset(1), settings)
        #expect(reader.status == .completed)
        #expect(buffers.reduce(0) { $0 + $1.numSamples } == 16_000)
        #expect(buffers[0].formatDescription?.audioStreamBasicDescription?.mChannelsPerFrame == 1)
    }

    @Test func reader_cancelled_givesNoMore() throws {
        let asset = try asset(2)
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks, audioSettings: nil)
        reader.add(output)
        #expect(output.audioTracks == asset.tracks && output.audioSettings?.count == 1 && reader.outputs == [output])
        #expect(output.mediaType == .audio && output.alwaysCopiesSampleData)
        output.alwaysCopiesSampleData = false
        #expect(output.copyNextSampleBuffer() == nil)
        #expect(reader.status == .unknown)
        #expect(reader.startReading() && !reader.startReading())
        #expect(reader.status == .reading)
        #expect(output.copyNextSampleBuffer() != nil)
        reader.cancelReading()
        #expect(output.copyNextSampleBuffer() == nil)
        #expect(reader.status == .cancelled && reader.error == nil)
    }

    @Test func reader_ofWhatCannotBeRead_saysWhy() throws {
        #expect(throws: NSError.self) { try AVAssetReader(asset: AVURLAsset(url: URL(filePath: "/missing.wav"))) }
        let server = try #require(URL(string: "https://127.0.0.1:1/a.mp3"))
        let error = #expect(throws: NSError.self) { try AVAssetReader(asset: AVURLAsset(url: server)) }
        #expect(error?.localizedDescription.contains("download it") == true)
        let asset = try asset()
        let reader = try AVAssetReader(asset: asset)
        let stored = AVAssetReaderTrackOutput(track: asset.tracks[0], outputSettings: nil)
        #expect(stored.outputSettings == nil && stored.track == asset.tracks[0])
        #expect(!reader.canAdd(stored))
        // A file that ends too early gives what there is.
        let cut = try TestFile.truncated(seconds: 2, in: directory)
        let (damaged, buffers) = try read(AVURLAsset(url: URL(filePath: cut)))
        #expect(damaged.status == .failed && damaged.error != nil)
        #expect(buffers.reduce(0) { $0 + $1.numSamples } > 8000)
    }

    @Test func blockBuffer_checksItsBounds() throws {
        let block = CMBlockBuffer(count: 4) { $0.copyBytes(from: [1, 2, 3, 4]) }
        #expect(try block.dataBytes() == Data([1, 2, 3, 4]))
        #expect(block.dataLength == 4)
        #expect(try block.withContiguousBuffer { $0.reduce(0) { $0 + Int($1) } } == 10)
        var (length, total, pointer): (Int, Int, UnsafeMutablePointer<CChar>?) = (0, 0, nil)
        #expect(
            CMBlockBufferGetDataPointer(
                block, atOffset: 1, lengthAtOffsetOut: &length, totalLengthOut: &total, dataPointerOut: &pointer)
                == kCMBlockBufferNoErr)
        #expect((length, total, pointer?.pointee) == (3, 4, 2))
        for offset in [-1, 4, .max] {
            #expect(
                CMBlockBufferGetDataPointer(
                    block, atOffset: offset, lengthAtOffsetOut: nil, totalLengthOut: nil, dataPointerOut: nil)
                    == kCMBlockBufferBadOffsetParameterErr)
        }
        var bytes = [UInt8](repeating: 0, count: 4)
        for (offset, count) in [(0, 5), (-1, 1), (4, 1), (0, -1), (.max, .max)] {
            #expect(
                CMBlockBufferCopyDataBytes(block, atOffset: offset, dataLength: count, destination: &bytes)
                    == kCMBlockBufferBadOffsetParameterErr)
        }
    }

    // MARK: Export

    @Test func export_asAAC_isAsLongToTheFrame() async throws {
        let asset = try asset(1)
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A))
        #expect(session.status == .unknown && session.supportedFileTypes == [.m4a])
        #expect(AVAssetExportSession.exportPresets(compatibleWith: asset) == AVAssetExportSession.allExportPresets())
        let url = URL(filePath: directory.path("a.m4a"))
        (session.outputURL, session.outputFileType) = (url, .m4a)
        await session.export()
        #expect(session.status == .completed, "\(String(describing: session.error))")
        #expect(session.progress == 1)
        #expect(try AVAudioFile(forReading: url).length == 48_000)
        // It is over: a second call tells that at once.
        await withCheckedContinuation { continuation in
            session.exportAsynchronously { continuation.resume() }
        }
        #expect(![.waiting, .exporting].contains(session.status))
        // A part of it.
        let part = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A))
        part.timeRange = CMTimeRange(
            start: CMTime(value: 1, timescale: 4), duration: CMTime(value: 12_345, timescale: 48_000))
        let partURL = URL(filePath: directory.path("b.m4a"))
        try await part.export(to: partURL, as: .m4a)
        #expect(part.outputURL == partURL && part.timeRange.start == CMTime(value: 1, timescale: 4))
        #expect(try AVAudioFile(forReading: partURL).length == 12_345)
    }

    @Test func passthrough_copiesTheFile() async throws {
        let asset = try asset()
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        let url = URL(filePath: directory.path("copy.wav"))
        try await session.export(to: url, as: .wav)
        #expect(try Data(contentsOf: url) == (try Data(contentsOf: asset.url)))
    }

    @Test func export_thatCannotBe_saysWhy_andLeavesNoFile() async throws {
        let asset = try asset()
        #expect(AVAssetExportSession(asset: asset, presetName: "AVAssetExportPresetHighestQuality") == nil)
        func failure(_ preset: String, _ name: String, _ type: AVFileType) async throws -> NSError? {
            let session = try #require(AVAssetExportSession(asset: asset, presetName: preset))
            let url = URL(filePath: directory.path(name))
            return await #expect(throws: NSError.self) { try await session.export(to: url, as: type) }
        }
        let type = try await failure(AVAssetExportPresetAppleM4A, "a.wav", .wav)
        #expect(type?.localizedDescription.contains("com.apple.m4a-audio") == true)
        #expect(try await failure(AVAssetExportPresetPassthrough, "a.m4a", .m4a) != nil)
        #expect(!FileManager.default.fileExists(atPath: directory.path("a.m4a")))
        let taken = directory.path("taken.m4a")
        try Data([1]).write(to: URL(filePath: taken))
        #expect(
            try await failure(AVAssetExportPresetAppleM4A, "taken.m4a", .m4a)?.code
                == AVError.fileAlreadyExists.rawValue)
        #expect(try Data(contentsOf: URL(filePath: taken)) == Data([1]))
        // What was written of a file that ends too early goes.
        let cut = AVURLAsset(url: URL(filePath: try TestFile.truncated(seconds: 2, in: directory)))
        let half = try #require(AVAssetExportSession(asset: cut, presetName: AVAssetExportPresetAppleM4A))
        (half.outputURL, half.outputFileType) = (URL(filePath: directory.path("half.m4a")), .m4a)
        await half.export()
        #expect(half.status == .failed && half.error != nil)
        #expect(!FileManager.default.fileExists(atPath: directory.path("half.m4a")))
        let cancelled = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A))
        cancelled.cancelExport()
        await cancelled.export()
        #expect(cancelled.status == .cancelled && cancelled.error == nil)
    }
}
