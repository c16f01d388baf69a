public import Foundation

/// Called at the end of a player, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVAudioPlayer.h.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound was played to its end; not after `stop`, nor when an interruption or the loss of a device pauses it.
    ///
    /// - Parameter flag: false where the file could not be decoded, or the sound server was lost.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// The file is damaged; what came before that place was played.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)

    // Deprecated in iOS 8, and never called, as on iOS since then: observe `AVAudioSession.interruptionNotification`.

    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int)
    func audioPlayerEndInterruption(_ player: AVAudioPlayer)
}

extension AVAudioPlayerDelegate {
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
    public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int) {}
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer) {}
}
