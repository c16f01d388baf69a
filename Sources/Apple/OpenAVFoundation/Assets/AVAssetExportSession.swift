import CAudioTypes
public import CoreMedia
public import Foundation
internal import OpenAVFAudio
private import Synchronization

/// AAC in an .m4a file; needs FFmpeg.
public let AVAssetExportPresetAppleM4A = "AVAssetExportPresetAppleM4A"
/// The file as it is.
public let AVAssetExportPresetPassthrough = "AVAssetExportPresetPassthrough"

/// Writes the sound of an asset into another file: as AAC, or a copy of the whole file.
///
/// A file of an encoder has what the encoder adds at both ends noted in it: read again, it is as long to the frame.
///
/// Any thread. It works on a thread of its own.
///
/// Source: SDK header AVAssetExportSession.h of AVFoundation.
open class AVAssetExportSession: NSObject, @unchecked Sendable {
    // @unchecked: constants, and one Mutex; subclasses have to keep to that.
    /// What is written.
    public let asset: AVAsset
    /// ``AVAssetExportPresetAppleM4A`` or ``AVAssetExportPresetPassthrough``.
    public let presetName: String
    private let state = Mutex(State())

    private struct State {
        var status = Status.unknown
        var error: (any Error)?
        var progress: Float = 0
        var url: URL?
        var type: AVFileType?
        var range = CMTimeRange(start: .zero, duration: .positiveInfinity)
        var mix: AVAudioMix?
    }

    /// How far the export is.
    ///
    /// unknown -> waiting -> exporting -> completed, failed or cancelled.
    public enum Status: Int, Sendable {
        /// It has not started.
        case unknown = 0
        /// Its thread has not begun.
        case waiting = 1
        /// The file is being written.
        case exporting = 2
        /// The file is complete.
        case completed = 3
        /// `error` says why; there is no file.
        case failed = 4
        /// `cancelExport` was called; there is no file.
        case cancelled = 5
    }

    /// A session of an asset of a file.
    ///
    /// - Returns: nil for another preset.
    public init?(asset: AVAsset, presetName: String) {
        guard Self.allExportPresets().contains(presetName) else { return nil }
        (self.asset, self.presetName) = (asset, presetName)
        super.init()
    }

    /// The presets that there are.
    open class func allExportPresets() -> [String] { [AVAssetExportPresetAppleM4A, AVAssetExportPresetPassthrough] }
    /// The presets for an asset: all for one that can be read, else none.
    open class func exportPresets(compatibleWith asset: AVAsset) -> [String] {
        asset.isPlayable ? allExportPresets() : []
    }

    /// How far the export is.
    open var status: Status { state.withLock { $0.status } }
    /// Why it failed.
    open var error: (any Error)? { state.withLock { $0.error } }
    /// 0...1.
    open var progress: Float { state.withLock { $0.progress } }

    /// Where the file goes; none may be there.
    open var outputURL: URL? {
        get { state.withLock { $0.url } }
        set { state.withLock { $0.url = newValue } }
    }

    /// What it is to be: one of `supportedFileTypes`.
    open var outputFileType: AVFileType? {
        get { state.withLock { $0.type } }
        set { state.withLock { $0.type = newValue } }
    }

    /// The part that is written, to the frame; all of it at first.
    open var timeRange: CMTimeRange {
        get { state.withLock { $0.range } }
        set { state.withLock { $0.range = newValue } }
    }

    /// What is done to the sound, as a copy; nil: nothing.
    ///
    /// ``AVAssetExportPresetPassthrough`` copies the sound as it is stored, and fails with a mix.
    open var audioMix: AVAudioMix? {
        get { state.withLock { $0.mix } }
        set {
            let mix = newValue?.copied(as: AVAudioMix.self)
            state.withLock { $0.mix = mix }
        }
    }

    /// The types of file that the preset writes.
    open var supportedFileTypes: [AVFileType] {
        presetName == AVAssetExportPresetAppleM4A ? [.m4a] : [.m4a, .mp4, .wav, .aiff, .caf, .mp3]
    }

    /// Writes the file, then calls the handler; a second call does nothing but that.
    ///
    /// - Parameter handler: called once, on a thread of its own; `status` says what has come of it.
    @preconcurrency
    open func exportAsynchronously(completionHandler handler: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { if state.status == .unknown { state.status = .waiting } }
            return state.status == .unknown
        }
        DispatchQueue.global().async {
            if isFirst { self.export() }
            handler()
        }
    }

    /// Writes the file; `status` says what has come of it.
    open func export() async {
        await withCheckedContinuation { continuation in exportAsynchronously { continuation.resume() } }
    }

    /// Writes the file.
    ///
    /// - Throws: `NSError` that says why there is no file; `CancellationError` after `cancelExport`, and where the task is cancelled.
    open func export(to url: URL, as fileType: AVFileType) async throws {
        (outputURL, outputFileType) = (url, fileType)
        await withTaskCancellationHandler {
            await export()
        } onCancel: {
            cancelExport()
        }
        if status == .cancelled { throw CancellationError() }
        if let error { throw error }
    }

    /// Ends the export soon, and removes what has been written.
    open func cancelExport() {
        state.withLock { state in
            switch state.status {
            case .unknown, .waiting, .exporting: state.status = .cancelled
            case .completed, .failed, .cancelled: break
            }
        }
    }

    // MARK: The thread of the export

    private func export() {
        let (url, type, range) = state.withLock { state in
            if state.status == .waiting { state.status = .exporting }
            return (state.url, state.type, state.range)
        }
        var written: URL?
        do {
            let url = try checked(url, type)
            written = url
            if presetName == AVAssetExportPresetPassthrough {
                try copy(to: url, range)
            } else {
                try encode(to: url, range)
            }
            state.withLock { if $0.status == .exporting { ($0.status, $0.progress) = (.completed, 1) } }
        } catch {
            state.withLock { if $0.status == .exporting { ($0.status, $0.error) = (.failed, error) } }
        }
        if let written, status != .completed { try? FileManager.default.removeItem(at: written) }
    }

    private func checked(_ url: URL?, _ type: AVFileType?) throws -> URL {
        guard let url, url.isFileURL else {
            throw NSError.media("The export has no outputURL of a file: set one.")
        }
        guard let type, supportedFileTypes.contains(type) else {
            throw NSError.media(
                "The preset \(presetName) does not write \(type.map { "\"\($0.rawValue.printable)\"" } ?? "a file without outputFileType"): "
                    + "use one of \(supportedFileTypes.map(\.rawValue).joined(separator: ", ")).")
        }
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw NSError.media(
                .fileAlreadyExists, "\(url.path.printable) exists: remove it, or name another file.")
        }
        return url
    }

    /// As it is stored: only the whole file.
    private func copy(to url: URL, _ range: CMTimeRange) throws {
        let isWhole = !range.isValid || range.start <= .zero && range.end >= asset.duration
        guard isWhole, audioMix == nil, asset.location.isFileURL,
            asset.location.pathExtension.lowercased() == url.pathExtension.lowercased()
        else {
            throw NSError.media(
                "\(AVAssetExportPresetPassthrough) copies a whole file to one of the same type: use "
                    + "\(AVAssetExportPresetAppleM4A) for a part, another type or a mix.")
        }
        _ = try asset.info()
        try FileManager.default.copyItem(at: asset.location, to: url)
    }

    private func encode(to url: URL, _ range: CMTimeRange) throws {
        let decoder = try AssetDecoder(
            asset,
            settings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMIsNonInterleaved: true,
            ],
            range: range, mix: audioMix)
        let format = decoder.format
        let file = try AVAudioFile(
            forWriting: url,
            settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: format.sampleRate,
                AVNumberOfChannelsKey: Int(format.channelCount),
            ])
        defer { file.close() }
        while status == .exporting, let (buffer, _) = try decoder.next() {
            try file.write(from: buffer)
            state.withLock { $0.progress = decoder.progress }
        }
    }
}
