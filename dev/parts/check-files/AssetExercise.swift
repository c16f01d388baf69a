import Foundation
import OpenAVFAudio

/// Reads and exports a damaged file as apps do; whatever comes of it, it ends.
enum AssetExercise {
    /// - Returns: what is wrong, in words.
    static func read(_ path: String) -> [String] {
        let asset = AVURLAsset(url: URL(filePath: path))
        guard let reader = try? AVAssetReader(asset: asset), let track = asset.tracks.first else { return [] }
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
        guard reader.canAdd(output) else { return [] }
        reader.add(output)
        guard reader.startReading() else { return [] }
        while let buffer = output.copyNextSampleBuffer() {
            let bytes = CMSampleBufferGetDataBuffer(buffer).map(CMBlockBufferGetDataLength) ?? 0
            if bytes == 0 || bytes != buffer.totalSampleSize { return ["a buffer of \(bytes) bytes"] }
        }
        return [.completed, .failed].contains(reader.status) ? [] : ["the reader ended as \(reader.status)"]
    }

    /// - Returns: what is wrong, in words.
    static func export(_ path: String, to target: String) -> [String] {
        let asset = AVURLAsset(url: URL(filePath: path))
        guard let session = AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A) else {
            return ["no session"]
        }
        (session.outputURL, session.outputFileType) = (URL(filePath: target), .m4a)
        let isOver = DispatchSemaphore(value: 0)
        session.exportAsynchronously { isOver.signal() }
        isOver.wait()
        let isThere = FileManager.default.fileExists(atPath: target)
        try? FileManager.default.removeItem(atPath: target)
        return (session.status == .completed) == isThere ? [] : ["a file \(isThere) after \(session.status)"]
    }
}
