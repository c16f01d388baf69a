public import Foundation

/// Called at the end of a recording, on the main thread.
///
/// Every method is optional: this module has empty default implementations.
///
/// Source: SDK header AVAudioRecorder.h.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
    /// The recording was stopped, has its length, or was ended by a device that came or went; the file is closed.
    ///
    /// - Parameters:
    ///   - recorder: whose recording has ended.
    ///   - flag: false where the file could not be written, or the sound server was lost.
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
    /// The file could not be written.
    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)

    // Deprecated in iOS 8, and never called, as on iOS since then: observe `AVAudioSession.interruptionNotification`.

    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int)
    /// Never called; observe `AVAudioSession.interruptionNotification`.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder)
}

extension AVAudioRecorderDelegate {
    public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}
    public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int) {}
    /// Does nothing, so that a delegate need not implement it.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder) {}
}
