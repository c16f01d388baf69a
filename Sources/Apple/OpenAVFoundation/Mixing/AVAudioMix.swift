public import CoreMedia
public import Foundation
import SessionRuntime
import Synchronization

/// What is done to the sound of tracks before it is heard, read or exported.
///
/// An item, an output of a reader and an export take a copy: what changes in a mix then has no effect before it is set again.
///
/// Any thread.
///
/// Source: SDK header AVAudioMix.h of AVFoundation.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // @unchecked: one Mutex; subclasses have to keep to that.
    fileprivate let parameters = Mutex<[AVAudioMixInputParameters]>([])

    /// A mix that changes nothing.
    public required override init() { super.init() }

    /// For each track that is changed, how; the first one of a track counts.
    open var inputParameters: [AVAudioMixInputParameters] { parameters.withLock { $0 } }

    /// A mix of the same parameters, which are copied too.
    open func copy(with zone: NSZone? = nil) -> Any { copied(as: AVAudioMix.self) }

    /// A mix that can be changed, of the same parameters, which are copied too.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copied(as: AVMutableAudioMix.self) }

    final func copied<Mix: AVAudioMix>(as type: Mix.Type) -> Mix {
        let (mix, parameters) = (
            type.init(), inputParameters.map { $0.copied(as: AVMutableAudioMixInputParameters.self) }
        )
        mix.parameters.withLock { $0 = parameters }
        return mix
    }
}

/// A mix that can be changed.
///
/// Source: SDK header AVAudioMix.h of AVFoundation.
open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
    /// For each track that is changed, how; the first one of a track counts.
    open override var inputParameters: [AVAudioMixInputParameters] {
        get { parameters.withLock { $0 } }
        set { parameters.withLock { $0 = newValue } }
    }
}

/// What is done to the sound of one track.
///
/// The volume is 1 before the first time that is set, changes in a straight line of amplitude within a ramp, and otherwise stays
/// where it was set last. It is exact to the frame, also after seeks, in a queue and at other rates: times are the item's.
///
/// Any thread.
///
/// Source: SDK header AVAudioMix.h of AVFoundation.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // @unchecked: one Mutex; subclasses have to keep to that.
    fileprivate let state = Mutex(State())

    fileprivate struct State {
        var trackID: CMPersistentTrackID = kCMPersistentTrackID_Invalid
        var curve = VolumeCurve()
        var algorithm: AVAudioTimePitchAlgorithm?
        var tap: MTAudioProcessingTap?
    }

    /// Parameters of no track that change nothing.
    public required override init() { super.init() }

    /// Whose sound is changed.
    open var trackID: CMPersistentTrackID { state.withLock { $0.trackID } }

    /// Without effect: every rate keeps the pitch.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? { state.withLock { $0.algorithm } }

    /// What the app does with the sound.
    open var audioTapProcessor: MTAudioProcessingTap? { state.withLock { $0.tap } }

    /// The ramp that a time is in, or else the first one after it; `setVolume(_:at:)` makes one without a duration.
    ///
    /// - Parameters:
    ///   - time: of the track.
    ///   - startVolume: receives the volume that the ramp begins with, 0...1; nil is allowed.
    ///   - endVolume: receives the volume that it ends with, 0...1; nil is allowed.
    ///   - timeRange: receives when it is, to the nanosecond; nil is allowed.
    /// - Returns: false where no ramp is at or after the time; nothing is written then.
    open func getVolumeRamp(
        for time: CMTime, startVolume: UnsafeMutablePointer<Float>?, endVolume: UnsafeMutablePointer<Float>?,
        timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        guard time.isNumeric, let ramp = curve.ramp(at: time.seconds) else { return false }
        startVolume?.pointee = ramp.from
        endVolume?.pointee = ramp.to
        timeRange?.pointee = CMTimeRange(start: CMTime(position: ramp.start), end: CMTime(position: ramp.end))
        return true
    }

    /// Parameters with the same contents.
    open func copy(with zone: NSZone? = nil) -> Any { copied(as: AVAudioMixInputParameters.self) }

    /// Parameters with the same contents that can be changed.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copied(as: AVMutableAudioMixInputParameters.self) }

    final func copied<Parameters: AVAudioMixInputParameters>(as type: Parameters.Type) -> Parameters {
        let (copy, contents) = (type.init(), state.withLock { $0 })
        copy.state.withLock { $0 = contents }
        return copy
    }

    final var curve: VolumeCurve { state.withLock { $0.curve } }
}

/// Parameters that can be changed.
///
/// Source: SDK header AVAudioMix.h of AVFoundation.
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
    /// Parameters of a track that change nothing.
    ///
    /// - Parameter track: nil for none; set `trackID` then.
    public convenience init(track: AVAssetTrack?) {
        self.init()
        if let track { trackID = track.trackID }
    }

    /// Whose sound is changed.
    open override var trackID: CMPersistentTrackID {
        get { state.withLock { $0.trackID } }
        set { state.withLock { $0.trackID = newValue } }
    }

    /// Without effect: every rate keeps the pitch.
    open override var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? {
        get { state.withLock { $0.algorithm } }
        set { state.withLock { $0.algorithm = newValue } }
    }

    /// What the app does with the sound; nil: nothing.
    ///
    /// The tap of an item that plays is called from the next read on. One tap is for one item.
    open override var audioTapProcessor: MTAudioProcessingTap? {
        get { state.withLock { $0.tap } }
        // Its callback is the app's code.
        set { state.change { $0.tap = newValue } }
    }

    /// Sets the volume from a time on.
    ///
    /// A ramp that is under way then ends there.
    ///
    /// - Parameters:
    ///   - volume: 0...1, linear amplitude; what is beyond that counts as the nearer end.
    ///   - time: of the track; one that is no number changes nothing.
    open func setVolume(_ volume: Float, at time: CMTime) {
        setVolumeRamp(
            fromStartVolume: volume, toEndVolume: volume, timeRange: CMTimeRange(start: time, duration: .zero))
    }

    /// Lets the volume change in a straight line of amplitude.
    ///
    /// A ramp that is under way at its start ends there; what was set within it goes.
    ///
    /// - Parameters:
    ///   - startVolume: 0...1; what is beyond that counts as the nearer end.
    ///   - endVolume: 0...1; what is beyond that counts as the nearer end.
    ///   - timeRange: of the track; one without a start and a duration in numbers changes nothing.
    open func setVolumeRamp(fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange) {
        guard timeRange.isValid, timeRange.start.isNumeric, timeRange.duration.isNumeric else { return }
        let (start, end) = (timeRange.start.seconds, timeRange.end.seconds)
        state.withLock { $0.curve.set(VolumeCurve.Ramp(start: start, end: end, from: startVolume, to: endVolume)) }
    }
}
