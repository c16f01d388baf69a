internal import AudioRuntime
internal import EngineCore
public import Foundation

/// The position between left and right of a source in a mixer.
///
/// Source: SDK header AVAudioMixing.h.
public protocol AVAudioStereoMixing: NSObjectProtocol {
    /// -1 (left) to 1 (right); 0, the default, leaves both sides as they are.
    var pan: Float { get set }
}

extension AVAudioStereoMixing where Self: AVAudioNode {
    public var pan: Float {
        get { core.mixing.pan }
        set { core.setMixing { $0.pan = newValue.asPan } }
    }
}
