public import Foundation

extension NSNotification.Name {
    /// The engine has stopped itself: its output, or the input that it captures, has another channel count or rate or went
    /// away, or the server ended its stream.
    ///
    /// Nodes and connections stay as they are. The notification is posted once, with the engine as its `object`, on the
    /// thread that tells of routes, after the route change that was its cause. The handler may connect, set a channel map,
    /// start the engine again, and release it: unlike Apple's, this engine can be released in the handler.
    ///
    /// Source: SDK header AVAudioEngine.h.
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}
