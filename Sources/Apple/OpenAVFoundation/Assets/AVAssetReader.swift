import AudioModel
import CAudioTypes
public import CoreMedia
public import Foundation
internal import OpenAVFAudio
private import Synchronization

/// Decodes the sound of a file faster than it plays: for waveforms, analysis and uploads.
///
/// Add outputs, start, and take buffers from each until it gives nil. Each output decodes for itself.
///
/// Any thread, one at a time for each output; a call waits for the disk.
///
/// Source: SDK header AVAssetReader.h of AVFoundation.
open class AVAssetReader: NSObject, @unchecked Sendable {
    // @unchecked: a constant, and one Mutex; subclasses have to keep to that.
    /// What is read.
    public let asset: AVAsset
    private let state = Mutex(State())

    private struct State {
        var status = Status.unknown
        var error: (any Error)?
        var range = CMTimeRange(start: .zero, duration: .positiveInfinity)
        var outputs: [AVAssetReaderOutput] = []
        var finishedOutputs = 0
    }

    /// How far the reading is.
    ///
    /// unknown -> reading -> completed, failed or cancelled.
    public enum Status: Int, Sendable {
        /// It has not started.
        case unknown = 0
        /// Outputs give buffers.
        case reading = 1
        /// Each output has given all.
        case completed = 2
        /// `error` says why.
        case failed = 3
        /// `cancelReading` was called.
        case cancelled = 4
    }

    /// A reader of an asset of a file.
    ///
    /// - Throws: `NSError` where the file cannot be read, and for a sound from a server.
    public init(asset: AVAsset) throws {
        self.asset = asset
        super.init()
        _ = try AssetDecoder(asset, settings: [AVFormatIDKey: kAudioFormatLinearPCM], range: .invalid)
    }

    /// How far the reading is.
    open var status: Status { state.withLock { $0.status } }
    /// Why it failed.
    open var error: (any Error)? { state.withLock { $0.error } }
    /// Those that were added.
    open var outputs: [AVAssetReaderOutput] { state.withLock { $0.outputs } }

    /// The part that is read, to the frame; all of it at first.
    ///
    /// Setting it has no effect once the reading has started.
    open var timeRange: CMTimeRange {
        get { state.withLock { $0.range } }
        set { state.withLock { if $0.status == .unknown { $0.range = newValue } } }
    }

    /// Whether an output of this asset's track may be added: before the start, and with settings of linear PCM.
    open func canAdd(_ output: AVAssetReaderOutput) -> Bool {
        status == .unknown && output.sound.asset === asset && (try? output.makeDecoder(.invalid)) != nil
    }

    /// Adds an output; a programming error where `canAdd` is false.
    open func add(_ output: AVAssetReaderOutput) {
        programmerError(
            unless: canAdd(output),
            "an output is added before startReading, is of a track of the reader's asset, and has settings of linear PCM "
                + "(AVFormatIDKey: kAudioFormatLinearPCM)")
        state.withLock { $0.outputs.append(output) }
    }

    /// Starts; the outputs give buffers from then on.
    ///
    /// - Returns: false where it was started before, or cannot be; `error` says why.
    open func startReading() -> Bool {
        let (outputs, range) = state.withLock { state in
            (state.status == .unknown ? state.outputs : nil, state.range)
        }
        guard let outputs else { return false }
        do {
            for output in outputs { try output.begin(range, for: self) }
            state.withLock { $0.status = outputs.isEmpty ? .completed : .reading }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// The outputs give no more buffers.
    open func cancelReading() { state.withLock { if $0.status == .reading { $0.status = .cancelled } } }

    func fail(_ error: any Error) {
        state.withLock { state in
            guard state.status != .cancelled else { return }
            (state.status, state.error) = (.failed, error)
        }
    }

    func noteEnd() {
        state.withLock { state in
            state.finishedOutputs += 1
            if state.status == .reading, state.finishedOutputs == state.outputs.count { state.status = .completed }
        }
    }
}

/// What a reader gives: the sound of a track in linear PCM.
///
/// Source: SDK header AVAssetReaderOutput.h of AVFoundation.
open class AVAssetReaderOutput: NSObject, @unchecked Sendable {
    // @unchecked: constants, and what the lock guards; subclasses have to keep to that.
    let sound: AVAssetTrack
    fileprivate let settings: [String: Any]?
    private let lock = NSLock()
    private weak var reader: AVAssetReader?
    private var decoder: AssetDecoder?
    private var copies = true
    private var mix: AVAudioMix?

    fileprivate init(_ track: AVAssetTrack, _ settings: [String: Any]?) {
        (sound, self.settings) = (track, settings)
        super.init()
    }

    /// `.audio`.
    open var mediaType: AVMediaType { sound.mediaType }

    /// Without effect: buffers are always the caller's own.
    open var alwaysCopiesSampleData: Bool {
        get { lock.withLock { copies } }
        set { lock.withLock { copies = newValue } }
    }

    fileprivate func makeDecoder(_ range: CMTimeRange) throws -> AssetDecoder {
        guard let asset = sound.asset, let settings else {
            throw NSError.media(
                "Sound as it is stored in the file is not given: name a format of linear PCM in the output's settings.")
        }
        return try AssetDecoder(asset, settings: settings, range: range, mix: storedMix)
    }

    fileprivate func begin(_ range: CMTimeRange, for reader: AVAssetReader) throws {
        let decoder = try makeDecoder(range)
        lock.withLock { (self.reader, self.decoder) = (reader, decoder) }
    }

    fileprivate var storedMix: AVAudioMix? {
        get { lock.withLock { mix } }
        set { lock.withLock { mix = newValue } }
    }

    /// The next samples, at most 8192 frames; nil at the end, and where the reader does not read.
    open func copyNextSampleBuffer() -> CMSampleBuffer? {
        guard let reader = lock.withLock({ reader }), reader.status == .reading else { return nil }
        // Without the lock: the mix may have an app's code.
        let decoder = lock.withLock {
            defer { self.decoder = nil }
            return self.decoder
        }
        guard let decoder else { return nil }
        do {
            if let (buffer, time) = try decoder.next() {
                lock.withLock { self.decoder = decoder }
                return CMSampleBuffer(buffer, at: time)
            }
            reader.noteEnd()
        } catch {
            reader.fail(error)
        }
        return nil
    }
}

/// The sound of one track.
///
/// Source: SDK header AVAssetReaderOutput.h of AVFoundation.
open class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
    /// An output of a track.
    ///
    /// - Parameters:
    ///   - track: of the reader's asset.
    ///   - outputSettings: of linear PCM; rate and channels are those of the file where they are missing. With nil, `canAdd` is
    ///     false: sound is not given as it is stored.
    public init(track: AVAssetTrack, outputSettings: [String: Any]?) { super.init(track, outputSettings) }

    /// What it is of.
    open var track: AVAssetTrack { sound }
    /// What it gives.
    open var outputSettings: [String: Any]? { settings }
}

/// The sound of some tracks, mixed; an asset has one here.
///
/// Source: SDK header AVAssetReaderOutput.h of AVFoundation.
open class AVAssetReaderAudioMixOutput: AVAssetReaderOutput, @unchecked Sendable {
    /// An output of tracks.
    ///
    /// - Parameters:
    ///   - audioTracks: one track of the reader's asset.
    ///   - audioSettings: of linear PCM; nil is 16 bit at the file's rate.
    public init(audioTracks: [AVAssetTrack], audioSettings: [String: Any]?) {
        programmerError(
            unless: audioTracks.count == 1,
            "a mix has the one track of its asset, not \(audioTracks.count): assets have one track here")
        super.init(audioTracks[0], audioSettings ?? [AVFormatIDKey: kAudioFormatLinearPCM])
    }

    /// What it is of.
    open var audioTracks: [AVAssetTrack] { [sound] }
    /// What it gives.
    open var audioSettings: [String: Any]? { settings }

    /// What is done to the sound, as a copy; nil: nothing.
    ///
    /// Setting it has no effect once the reading has started.
    open var audioMix: AVAudioMix? {
        get { storedMix }
        set { storedMix = newValue?.copied(as: AVAudioMix.self) }
    }
}
