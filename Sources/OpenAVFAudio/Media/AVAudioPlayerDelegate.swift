public import Foundation

/// Called at the end of a player, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVAudioPlayer.h.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound was played to its end; not after `stop`, nor when an interruption or the loss of a device pauses it.
    ///
    /// - Parameters:
    ///   - player: whose sound has ended.
    ///   - flag: false where the file could not be decoded, or the sound server was lost.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// The file is damaged; what came before that place was played.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)

    // Deprecated in iOS 8, and never called, as on iOS since then: observe `AVAudioSession.interruptionNotification`.

    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer)
}

extension AVAudioPlayerDelegate {
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer) {}
}
