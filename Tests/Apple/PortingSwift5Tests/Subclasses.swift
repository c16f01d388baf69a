import AVFoundation
import MediaPlayer

// A subclass of every class that Apple's platforms let an app subclass, with what the tests of apps override and call.

// MARK: AVPlayer

final class PlayerDouble: AVPlayer, @unchecked Sendable {
    var names: [String] = []
    var fakeItem: AVPlayerItem?
    override var currentItem: AVPlayerItem? { fakeItem }
    override var rate: Float {
        get { 3 }
        set { names.append("\(newValue)") }
    }
    override var timeControlStatus: AVPlayer.TimeControlStatus { .playing }
    override func play() { names.append("play") }
    override func pause() { names.append("pause") }
    override func currentTime() -> CMTime { CMTime(seconds: 7, preferredTimescale: 1) }
    override func replaceCurrentItem(with item: AVPlayerItem?) { fakeItem = item }
    override func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping (CMTime) -> Void
    ) -> Any { "token" }
    override func removeTimeObserver(_ observer: Any) { names.append("\(observer)") }
    override func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) { names.append("add \(keyPath)") }
    override func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { names.append("remove \(keyPath)") }
}

final class QueuePlayerDouble: AVQueuePlayer, @unchecked Sendable {
    override func items() -> [AVPlayerItem] { [] }
    override func advanceToNextItem() {}
}

final class ItemDouble: AVPlayerItem, @unchecked Sendable {
    var fakeStatus = AVPlayerItem.Status.unknown
    override var status: AVPlayerItem.Status { fakeStatus }
    override var duration: CMTime { CMTime(seconds: 42, preferredTimescale: 1) }
    override var asset: AVAsset { AVAsset(url: URL(fileURLWithPath: "/double.wav")) }
    override var loadedTimeRanges: [NSValue] { [] }
    override var isPlaybackLikelyToKeepUp: Bool { true }
    override func currentTime() -> CMTime { .zero }
    override func cancelPendingSeeks() {}
    override func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {}
}

final class AssetDouble: AVURLAsset, @unchecked Sendable {
    var isCancelled = false
    override var duration: CMTime { .zero }
    override var isPlayable: Bool { true }
    override func cancelLoading() { isCancelled = true }
    override func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (() -> Void)? = nil) {
        handler?()
    }
    override func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus { .loaded }
}

final class LooperDouble: AVPlayerLooper, @unchecked Sendable {
    override func disableLooping() {}
}

final class MetadataItemDouble: AVMetadataItem, @unchecked Sendable {
    override var identifier: AVMetadataIdentifier? { .commonIdentifierTitle }
    override var commonKey: AVMetadataKey? { .commonKeyTitle }
    override var value: (any NSCopying & NSObjectProtocol)? { NSString(string: "double") }
}

final class MutableMetadataItemDouble: AVMutableMetadataItem, @unchecked Sendable {}

final class GroupDouble: AVMetadataGroup, @unchecked Sendable {
    override var items: [AVMetadataItem] { [MetadataItemDouble()] }
}

final class TimedGroupDouble: AVTimedMetadataGroup, @unchecked Sendable {
    override var timeRange: CMTimeRange { .zero }
}

final class AccessLogDouble: AVPlayerItemAccessLog, @unchecked Sendable {
    override var events: [AVPlayerItemAccessLogEvent] { [AccessLogEventDouble()] }
}

final class AccessLogEventDouble: AVPlayerItemAccessLogEvent, @unchecked Sendable {
    override var numberOfStalls: Int { 5 }
    override var uri: String? { "double" }
}

final class ErrorLogDouble: AVPlayerItemErrorLog, @unchecked Sendable {
    override var events: [AVPlayerItemErrorLogEvent] { [ErrorLogEventDouble()] }
}

final class ErrorLogEventDouble: AVPlayerItemErrorLogEvent, @unchecked Sendable {
    override var errorStatusCode: Int { 404 }
}

final class MetadataOutputDouble: AVPlayerItemMetadataOutput, @unchecked Sendable {}
final class MixDouble: AVAudioMix, @unchecked Sendable {}
final class MutableMixDouble: AVMutableAudioMix, @unchecked Sendable {}
final class MixParametersDouble: AVAudioMixInputParameters, @unchecked Sendable {}
final class ReaderDouble: AVAssetReader, @unchecked Sendable {}
final class ExportDouble: AVAssetExportSession, @unchecked Sendable {
    override func exportAsynchronously(completionHandler handler: @escaping () -> Void) { handler() }
}

// MARK: Sounds

final class FormatDouble: AVAudioFormat, @unchecked Sendable {
    override var sampleRate: Double { 1 }
}

/// With an initialiser of its own, which calls one of Apple's.
final class VoiceFormat: AVAudioFormat, @unchecked Sendable {
    init(channels: AVAudioChannelCount) {
        super.init(standardFormatWithSampleRate: 16_000, channels: channels)!
    }
}

final class BufferDouble: AVAudioPCMBuffer {
    var name = ""
    override var frameLength: AVAudioFrameCount {
        get { super.frameLength }
        set { super.frameLength = newValue }
    }
}

final class TimeDouble: AVAudioTime, @unchecked Sendable {
    override func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? { nil }
}

final class LayoutDouble: AVAudioChannelLayout, @unchecked Sendable {}

final class FileDouble: AVAudioFile {
    override var length: AVAudioFramePosition { 5 }
    override func read(into buffer: AVAudioPCMBuffer) throws {}
    override func write(from buffer: AVAudioPCMBuffer) throws {}
}

final class ConverterDouble: AVAudioConverter {
    override func reset() {}
}

final class SoundPlayerDouble: AVAudioPlayer {
    override var isPlaying: Bool { true }
    override var currentTime: TimeInterval {
        get { 1 }
        set {}
    }
    override func prepareToPlay() -> Bool { true }
    override func play() -> Bool { true }
    override func stop() {}
}

final class RecorderDouble: AVAudioRecorder {
    override var isRecording: Bool { true }
    override func record() -> Bool { true }
    override func stop() {}
    override func averagePower(forChannel channelNumber: Int) -> Float { -20 }
}

// MARK: Engine

final class EngineDouble: AVAudioEngine {
    override func start() throws {}
    override func attach(_ node: AVAudioNode) {}
    override func stop() {}
}

final class PlayerNodeDouble: AVAudioPlayerNode {
    override func play() {}
}

final class MixerDouble: AVAudioMixerNode {
    override var outputVolume: Float {
        get { 1 }
        set {}
    }
}

final class EnvironmentDouble: AVAudioEnvironmentNode {}
final class SourceDouble: AVAudioSourceNode {}
final class SinkDouble: AVAudioSinkNode {}
final class EQDouble: AVAudioUnitEQ {}
final class ReverbDouble: AVAudioUnitReverb {
    override func loadFactoryPreset(_ preset: AVAudioUnitReverbPreset) {}
}
final class DelayDouble: AVAudioUnitDelay {}
final class DistortionDouble: AVAudioUnitDistortion {}
final class TimePitchDouble: AVAudioUnitTimePitch {
    override var rate: Float {
        get { 1 }
        set {}
    }
}
final class VarispeedDouble: AVAudioUnitVarispeed {}
final class ConnectionPointDouble: AVAudioConnectionPoint {}

// MARK: Session

final class PortDouble: AVAudioSessionPortDescription, @unchecked Sendable {
    override var portType: AVAudioSession.Port { .headphones }
    override var portName: String { "double" }
    override var uid: String { "double" }
}

final class RouteDouble: AVAudioSessionRouteDescription, @unchecked Sendable {
    override var outputs: [AVAudioSessionPortDescription] { [PortDouble()] }
    override var inputs: [AVAudioSessionPortDescription] { [] }
}

final class DataSourceDouble: AVAudioSessionDataSourceDescription, @unchecked Sendable {
    override var dataSourceName: String { "double" }
}

// MARK: Speech

final class SynthesizerDouble: AVSpeechSynthesizer {
    var spoken: [String] = []
    override var isSpeaking: Bool { true }
    override func speak(_ utterance: AVSpeechUtterance) { spoken.append(utterance.speechString) }
    override func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool { true }
}

final class UtteranceDouble: AVSpeechUtterance, @unchecked Sendable {
    override var rate: Float {
        get { 1 }
        set {}
    }
}

final class VoiceDouble: AVSpeechSynthesisVoice, @unchecked Sendable {
    override var language: String { "xx" }
}

// MARK: MediaPlayer

final class CommandDouble: MPRemoteCommand, @unchecked Sendable {
    private var handlers: [(MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus] = []
    override var isEnabled: Bool {
        get { true }
        set {}
    }
    override func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
        handlers.append(handler)
        return handlers.count
    }
    override func removeTarget(_ target: Any?) { handlers = [] }
    func press(_ event: MPRemoteCommandEvent) -> [MPRemoteCommandHandlerStatus] { handlers.map { $0(event) } }
}

final class SkipCommandDouble: MPSkipIntervalCommand, @unchecked Sendable {
    override var preferredIntervals: [NSNumber] {
        get { [15] }
        set {}
    }
}

final class FeedbackCommandDouble: MPFeedbackCommand, @unchecked Sendable {}
final class RatingCommandDouble: MPRatingCommand, @unchecked Sendable {}
final class PositionCommandDouble: MPChangePlaybackPositionCommand, @unchecked Sendable {}
final class RateCommandDouble: MPChangePlaybackRateCommand, @unchecked Sendable {}
final class RepeatCommandDouble: MPChangeRepeatModeCommand, @unchecked Sendable {}
final class ShuffleCommandDouble: MPChangeShuffleModeCommand, @unchecked Sendable {}

final class EventDouble: MPRemoteCommandEvent, @unchecked Sendable {
    override var timestamp: TimeInterval { 1 }
}

final class PositionEventDouble: MPChangePlaybackPositionCommandEvent, @unchecked Sendable {
    override var positionTime: TimeInterval { 99 }
}

final class SkipEventDouble: MPSkipIntervalCommandEvent, @unchecked Sendable {
    override var interval: TimeInterval { 30 }
}

final class RateEventDouble: MPChangePlaybackRateCommandEvent, @unchecked Sendable {
    override var playbackRate: Float { 2 }
}

final class SeekEventDouble: MPSeekCommandEvent, @unchecked Sendable {
    override var type: MPSeekCommandEventType { .endSeeking }
}

final class FeedbackEventDouble: MPFeedbackCommandEvent, @unchecked Sendable {}
final class RatingEventDouble: MPRatingCommandEvent, @unchecked Sendable {
    override var rating: Float { 4 }
}
final class RepeatEventDouble: MPChangeRepeatModeCommandEvent, @unchecked Sendable {}
final class ShuffleEventDouble: MPChangeShuffleModeCommandEvent, @unchecked Sendable {}

final class CommandCenterDouble: MPRemoteCommandCenter, @unchecked Sendable {
    let play = CommandDouble()
    override var playCommand: MPRemoteCommand { play }
}

final class InfoCenterDouble: MPNowPlayingInfoCenter, @unchecked Sendable {
    var shown: [String: Any]?
    override var nowPlayingInfo: [String: Any]? {
        get { shown }
        set { shown = newValue }
    }
}

final class ArtworkDouble: MPMediaItemArtwork, @unchecked Sendable {
    override var bounds: CGRect { .zero }
}
