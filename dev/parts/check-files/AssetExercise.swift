import CoreMedia
import Foundation
import OpenAVFAudio
import OpenAVFoundation
import TestSupport

/// Reads and exports a damaged file as apps do; whatever comes of it, it ends.
enum AssetExercise {
    /// The whole of it, a part of it, a part through a mix, or the beginning of it.
    ///
    /// - Returns: what is wrong, in words.
    static func read(_ path: String, number: Int, random: inout Seeded) -> [String] {
        let asset = AVURLAsset(url: URL(filePath: path))
        guard let reader = try? AVAssetReader(asset: asset), let track = asset.tracks.first else { return [] }
        let settings: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM]
        let output: AVAssetReaderOutput
        if number % 4 == 2 {
            let mixed = AVAssetReaderAudioMixOutput(audioTracks: [track], audioSettings: settings)
            mixed.audioMix = mix(of: track)
            output = mixed
        } else {
            output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
        }
        guard reader.canAdd(output) else { return [] }
        reader.add(output)
        if number % 4 != 0 { reader.timeRange = part(&random) }
        guard reader.startReading() else { return [] }
        var count = 0
        while let buffer = output.copyNextSampleBuffer() {
            let bytes = CMSampleBufferGetDataBuffer(buffer).map(CMBlockBufferGetDataLength) ?? 0
            if bytes == 0 || bytes != buffer.totalSampleSize { return ["a buffer of \(bytes) bytes"] }
            count += 1
            if number % 4 == 3, count == 2 { reader.cancelReading() }
        }
        return [.completed, .failed, .cancelled].contains(reader.status) ? [] : ["the reader ended as \(reader.status)"]
    }

    /// The whole of it, a part through a mix, or a copy of its packets, which some kinds of files have not.
    ///
    /// - Returns: what is wrong, in words.
    static func export(_ path: String, to target: String, number: Int, random: inout Seeded) -> [String] {
        let asset = AVURLAsset(url: URL(filePath: path))
        let copies = number % 3 == 0
        guard
            let session = AVAssetExportSession(
                asset: asset, presetName: copies ? AVAssetExportPresetPassthrough : AVAssetExportPresetAppleM4A)
        else { return ["no session"] }
        (session.outputURL, session.outputFileType) = (URL(filePath: target), .m4a)
        if copies, let type = session.supportedFileTypes.first { session.outputFileType = type }
        if number % 3 == 1 {
            session.timeRange = part(&random)
            session.audioMix = asset.tracks.first.map(mix)
        }
        let isOver = DispatchSemaphore(value: 0)
        session.exportAsynchronously { isOver.signal() }
        if number % 7 == 0 { session.cancelExport() }
        isOver.wait()
        let isThere = FileManager.default.fileExists(atPath: target)
        try? FileManager.default.removeItem(atPath: target)
        return (session.status == .completed) == isThere ? [] : ["a file \(isThere) after \(session.status)"]
    }

    /// Also one that is not in the file, which has half a second when it is whole.
    private static func part(_ random: inout Seeded) -> CMTimeRange {
        func time(_ most: Int64) -> CMTime {
            CMTime(value: Int64.random(in: -10...most, using: &random), timescale: 1000)
        }
        return CMTimeRange(start: time(600), duration: time(400))
    }

    private static func mix(of track: AVAssetTrack) -> AVAudioMix {
        let parameters = AVMutableAudioMixInputParameters(track: track)
        let range = CMTimeRange(start: .zero, duration: CMTime(value: 300, timescale: 1000))
        parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range)
        let mix = AVMutableAudioMix()
        mix.inputParameters = [parameters]
        return mix
    }
}
