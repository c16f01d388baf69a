public import Foundation

extension NSNotification.Name {
    /// The engine has stopped: the channel count or rate of its output, or of the input in use, changed, the device
    /// left, or the server ended its stream.
    ///
    /// Nodes and connections do not change. The notification is posted once, with the engine as its `object`, on the
    /// poster thread, after the route change that caused it. The handler may connect nodes, set a channel map, start
    /// the engine again, and release it: unlike Apple's, this engine can be released in the handler.
    ///
    /// Source: SDK header AVAudioEngine.h.
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}
