internal import AudioRuntime
internal import EffectCore
internal import EngineCore
public import Foundation
internal import SofaHead

/// Mixes sources that have places around a listener.
///
/// Each node that is connected to an input bus has a place and more, by `AVAudio3DMixing`; its `volume` counts, its `pan` does not. What is
/// set on a node before an effect holds for the effect's connection. Stereo and more is heard as it is unless its `sourceMode` says
/// otherwise. The two first channels of the output sound; one channel has both sides.
///
/// `HRTF` is a convolution with the filters of a head from libmysofa's default file (Debian: `libmysofa1`), loaded when the node is first
/// connected; 558 taps at 48 kHz. Where the library is not installed, sources are panned. A room, `reverbParameters`, gets the share of
/// each source that its `reverbBlend` says; what the room sounds like is ours, as in `AVAudioUnitReverb`.
///
/// App threads; a change is heard within about 20 ms, without a click. Source: SDK header AVAudioEnvironmentNode.h.
open class AVAudioEnvironmentNode: AVAudioNode, AVAudioMixing {
    private let unit: SpaceUnit
    /// How sound fades with its way.
    public let distanceAttenuationParameters: AVAudioEnvironmentDistanceAttenuationParameters
    /// The room around the listener; switched off at first.
    public let reverbParameters: AVAudioEnvironmentReverbParameters

    /// An environment with its listener at the origin, who looks along the negative z axis.
    public init() {
        let unit = SpaceUnit { SofaFilters.filters(sampleRate: $0) }
        self.unit = unit
        distanceAttenuationParameters = AVAudioEnvironmentDistanceAttenuationParameters(unit)
        reverbParameters = AVAudioEnvironmentReverbParameters(unit)
        super.init(core: NodeController(.environment(unit), name: "environment"))
    }

    /// Linear amplitude of what leaves the node; 1 at first.
    open var outputVolume: Float {
        get { core.outputVolume }
        set { core.setOutputVolume(newValue.asVolume) }
    }

    /// The first input bus without a connection.
    open var nextAvailableInputBus: AVAudioNodeBus { core.nextAvailableInputBus }

    /// What the algorithm `auto` renders for; `auto` at first.
    ///
    /// That is headphones where the session's route is a headphone jack or Bluetooth, and loudspeakers elsewhere and in manual rendering.
    open var outputType: AVAudioEnvironmentOutputType {
        get { AVAudioEnvironmentOutputType(rawValue: unit.output.rawValue) ?? .auto }
        set { unit.output = SpaceUnit.OutputType(rawValue: newValue.rawValue) ?? .automatic }
    }

    /// In metres; the origin at first.
    open var listenerPosition: AVAudio3DPoint {
        get { AVAudio3DPoint(unit.scene.listener) }
        set { unit.change { $0.listener = newValue.vector } }
    }

    /// (0, 0, -1) ahead and (0, 1, 0) up at first; `listenerAngularOrientation` says the same.
    ///
    /// Both come back of length 1 and orthogonal. Vectors without a direction are as at first.
    open var listenerVectorOrientation: AVAudio3DVectorOrientation {
        get {
            let orientation = unit.scene.orientation
            return AVAudio3DVectorOrientation(
                forward: AVAudio3DVector(orientation.forward), up: AVAudio3DVector(orientation.up))
        }
        set {
            unit.change { $0.orientation = SpaceOrientation(forward: newValue.forward.vector, up: newValue.up.vector) }
        }
    }

    /// In degrees; 0 at first; `listenerVectorOrientation` says the same.
    ///
    /// They come back as -180 to 180, the pitch as -90 to 90.
    open var listenerAngularOrientation: AVAudio3DAngularOrientation {
        get {
            let angles = unit.scene.orientation.angles
            return AVAudio3DAngularOrientation(yaw: angles.yaw, pitch: angles.pitch, roll: angles.roll)
        }
        set {
            unit.change {
                $0.orientation = SpaceOrientation(yaw: newValue.yaw, pitch: newValue.pitch, roll: newValue.roll)
            }
        }
    }

    /// Raw values of `AVAudio3DMixingRenderingAlgorithm` that differ from others here: with a head where libmysofa is installed and the
    /// output has two channels or more.
    open var applicableRenderingAlgorithms: [NSNumber] {
        var algorithms: [AVAudio3DMixingRenderingAlgorithm] = [.equalPowerPanning, .stereoPassThrough, .auto]
        let format = outputFormat(forBus: 0)
        if format.channelCount > 1, unit.hasHeadFilters(sampleRate: format.sampleRate) {
            algorithms += [.sphericalHead, .HRTF, .HRTFHQ]
        }
        return algorithms.map(\.rawValue).sorted().map { NSNumber(value: $0) }
    }
}

/// What an environment is heard on.
///
/// Source: SDK header AVAudioEnvironmentNode.h (iOS 13).
@nonexhaustive public enum AVAudioEnvironmentOutputType: Int, Sendable {
    /// What the session's route says.
    case auto = 0
    /// On the ears.
    case headphones = 1
    /// The machine's own loudspeakers.
    case builtInSpeakers = 2
    /// Other loudspeakers.
    case externalSpeakers = 3
}

/// The formula by which sound fades with its way.
///
/// Source: SDK header AVAudioEnvironmentNode.h.
@nonexhaustive public enum AVAudioEnvironmentDistanceAttenuationModel: Int, Sendable {
    /// (distance / reference) ^ -rolloff.
    case exponential = 1
    /// reference / (reference + rolloff · (distance - reference)).
    case inverse = 2
    /// 1 - rolloff · (distance - reference) / (maximum - reference).
    case linear = 3
}

/// How sound fades with its way in an environment; only an environment makes one.
///
/// Nearer than the reference distance a source is as loud as there, and it is not attenuated where the formula has no value. Any thread.
///
/// Source: SDK header AVAudioEnvironmentNode.h.
open class AVAudioEnvironmentDistanceAttenuationParameters: NSObject {
    private let unit: SpaceUnit

    init(_ unit: SpaceUnit) { self.unit = unit }

    /// `inverse` at first.
    open var distanceAttenuationModel: AVAudioEnvironmentDistanceAttenuationModel {
        get { AVAudioEnvironmentDistanceAttenuationModel(rawValue: unit.scene.distance.model.rawValue) ?? .inverse }
        set { unit.change { $0.distance.model = SpaceDistance.Model(rawValue: newValue.rawValue) ?? .inverse } }
    }

    /// Metres; 1 at first.
    open var referenceDistance: Float {
        get { unit.scene.distance.reference }
        set { unit.change { $0.distance.reference = newValue } }
    }

    /// Metres, for the linear model; 100 000 at first.
    open var maximumDistance: Float {
        get { unit.scene.distance.maximum }
        set { unit.change { $0.distance.maximum = newValue } }
    }

    /// Above 0, more is steeper; 1 at first.
    open var rolloffFactor: Float {
        get { unit.scene.distance.rolloff }
        set { unit.change { $0.distance.rolloff = newValue } }
    }
}

/// The room of an environment; only an environment makes one.
///
/// Any thread.
///
/// Source: SDK header AVAudioEnvironmentNode.h.
open class AVAudioEnvironmentReverbParameters: NSObject {
    private let unit: SpaceUnit
    /// What the sound of the room goes through; bypassed at first.
    public let filterParameters: AVAudioUnitEQFilterParameters

    init(_ unit: SpaceUnit) {
        self.unit = unit
        filterParameters = AVAudioUnitEQFilterParameters(unit.room.filter, band: 0)
    }

    /// Whether sources are sent into the room; false at first.
    open var enable: Bool {
        get { unit.scene.hasRoom }
        set { unit.change { $0.hasRoom = newValue } }
    }

    /// Of the room's sound, in decibels: -20 to 20, where Apple has -40 to 40; 0 at first.
    open var level: Float {
        get { unit.room.reverb[kReverb2Param_Gain] }
        set { unit.room.reverb.set(newValue, at: UInt64(kReverb2Param_Gain)) }
    }

    /// Takes another room; the medium hall is there at first.
    ///
    /// While it sounds, the room before fades out for 10 ms, and the new one begins empty.
    open func loadFactoryReverbPreset(_ preset: AVAudioUnitReverbPreset) {
        guard let preset = ReverbPreset(rawValue: preset.rawValue) else { return }
        unit.room.reverb.set(preset.values)
    }
}
