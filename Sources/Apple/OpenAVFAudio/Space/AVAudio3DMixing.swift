internal import AudioRuntime
internal import EffectCore
internal import EngineCore
public import Foundation

/// How an environment renders a source.
///
/// Source: SDK header AVAudioMixing.h.
@nonexhaustive public enum AVAudio3DMixingRenderingAlgorithm: Int, Sendable {
    /// Between two loudspeakers, with the same power everywhere.
    case equalPowerPanning = 0
    /// As `HRTF`.
    case sphericalHead = 1
    /// With the filters of a head, for headphones; panned where libmysofa is not installed.
    case HRTF = 2
    /// Panned, as `equalPowerPanning`.
    case soundField = 3
    /// Where it is.
    case stereoPassThrough = 5
    /// As `HRTF`.
    case HRTFHQ = 6
    /// `HRTF` for headphones, else `equalPowerPanning`; see `AVAudioEnvironmentNode.outputType`.
    case auto = 7
}

/// What of a source has a place in an environment.
///
/// Source: SDK header AVAudioMixing.h (iOS 13).
@nonexhaustive public enum AVAudio3DMixingSourceMode: Int, Sendable {
    /// A source of one channel has a place; others are heard as they are.
    case spatializeIfMono = 0
    /// It is heard as it is.
    case bypass = 1
    /// The mean of its channels has a place.
    case pointSource = 2
    /// As `pointSource`, around the listener wherever that goes, as loud everywhere.
    case ambienceBed = 3
}

/// What becomes of a point within the listener's head, with the algorithm `auto`.
///
/// Source: SDK header AVAudioMixing.h (iOS 13).
@nonexhaustive public enum AVAudio3DMixingPointSourceInHeadMode: Int, Sendable {
    /// It is in the middle.
    case mono = 0
    /// Its channels are heard as they are.
    case bypass = 1
}

/// The properties of a source in the environments that it is connected to; see `AVAudioEnvironmentNode`.
///
/// Any thread. A change is heard within about 20 ms, without a click. Source: SDK header AVAudioMixing.h.
public protocol AVAudio3DMixing: NSObjectProtocol {
    /// `equalPowerPanning` at first.
    var renderingAlgorithm: AVAudio3DMixingRenderingAlgorithm { get set }
    /// `spatializeIfMono` at first.
    var sourceMode: AVAudio3DMixingSourceMode { get set }
    /// `mono` at first.
    var pointSourceInHeadMode: AVAudio3DMixingPointSourceInHeadMode { get set }
    /// Apple's playback rate, 0.5 to 2: kept, and without effect; use `AVAudioUnitVarispeed` before the environment.
    var rate: Float { get set }
    /// The share of the environment's room, 0 (none) to 1 (only the room), while `reverbParameters.enable` is true; 0 at first.
    ///
    /// What passes through an environment as it is, is not sent into the room.
    var reverbBlend: Float { get set }
    /// What is between the source and the listener, -100 to 0 dB: lowers it, high sound more.
    ///
    /// The cutoff of its low pass is 20 kHz, an octave less for each 10 dB.
    var obstruction: Float { get set }
    /// As `obstruction`; both are added.
    var occlusion: Float { get set }
    /// In metres; the origin at first. A point that is no number is within the listener's head.
    var position: AVAudio3DPoint { get set }
}

/// What both a node and one of its connections have.
extension SpaceMixing {
    var renderingAlgorithm: AVAudio3DMixingRenderingAlgorithm {
        get { AVAudio3DMixingRenderingAlgorithm(rawValue: algorithm.rawValue) ?? .equalPowerPanning }
        set { algorithm = Algorithm(rawValue: newValue.rawValue) ?? .equalPower }
    }

    var mode: AVAudio3DMixingSourceMode {
        get { AVAudio3DMixingSourceMode(rawValue: sourceMode.rawValue) ?? .spatializeIfMono }
        set { sourceMode = SourceMode(rawValue: newValue.rawValue) ?? .spatializeIfMono }
    }

    var headMode: AVAudio3DMixingPointSourceInHeadMode {
        get { AVAudio3DMixingPointSourceInHeadMode(rawValue: inHeadMode.rawValue) ?? .mono }
        set { inHeadMode = InHeadMode(rawValue: newValue.rawValue) ?? .mono }
    }
}

extension Float {
    fileprivate func clamped(_ range: ClosedRange<Float>) -> Float {
        isNaN ? range.upperBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

private let wallDecibels: ClosedRange<Float> = -100...0

// What is set on a node holds for all of its connections, what is set on a destination for one.
extension AVAudio3DMixing {
    private var space: SpaceMixing {
        switch self {
        case let node as AVAudioNode: node.core.mixing.space
        case let destination as AVAudioMixingDestination: destination.space
        default: SpaceMixing()
        }
    }

    private func change(_ body: (inout SpaceMixing) -> Void) {
        switch self {
        case let node as AVAudioNode: node.core.setSpace(body)
        case let destination as AVAudioMixingDestination: destination.changeSpace(body)
        default: break
        }
    }

    public var renderingAlgorithm: AVAudio3DMixingRenderingAlgorithm {
        get { space.renderingAlgorithm }
        set { change { $0.renderingAlgorithm = newValue } }
    }

    public var sourceMode: AVAudio3DMixingSourceMode {
        get { space.mode }
        set { change { $0.mode = newValue } }
    }

    public var pointSourceInHeadMode: AVAudio3DMixingPointSourceInHeadMode {
        get { space.headMode }
        set { change { $0.headMode = newValue } }
    }

    public var reverbBlend: Float {
        get { space.reverbBlend }
        set { change { $0.reverbBlend = (newValue.isNaN ? 0 : newValue).clamped(0...1) } }
    }

    public var obstruction: Float {
        get { space.obstruction }
        set { change { $0.obstruction = newValue.clamped(wallDecibels) } }
    }

    public var occlusion: Float {
        get { space.occlusion }
        set { change { $0.occlusion = newValue.clamped(wallDecibels) } }
    }

    public var position: AVAudio3DPoint {
        get { AVAudio3DPoint(space.position) }
        set { change { $0.position = newValue.vector } }
    }

    public var rate: Float {
        get { space.rate }
        set { change { $0.rate = (newValue.isNaN ? 1 : newValue).clamped(0.5...2) } }
    }
}
