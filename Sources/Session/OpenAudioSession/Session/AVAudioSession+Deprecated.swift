internal import SessionRuntime

// Members that iOS 6 deprecated and still declares. Source: SDK header AVAudioSessionDeprecated.h.
extension AVAudioSession {
    /// The older name of ``isInputAvailable``.
    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }

    /// The older name of ``sampleRate``, in hertz.
    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }

    /// The older name of ``inputNumberOfChannels``.
    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }

    /// The older name of ``outputNumberOfChannels``.
    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }

    /// The older name of ``preferredSampleRate``, in hertz.
    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }

    /// The older name of ``setPreferredSampleRate(_:)``; in hertz.
    ///
    /// - Throws: as ``setPreferredSampleRate(_:)``.
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }

    /// The older form of ``setActive(_:options:)``.
    ///
    /// - Throws: as ``setActive(_:options:)``.
    @available(*, deprecated, message: "use setActive(_:options:)")
    public func setActive(_ active: Bool, withFlags flags: Int) throws {
        try setActive(
            active,
            options: flags & AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation == 0
                ? [] : .notifyOthersOnDeactivation)
    }

    /// Receives the beginning and the end of interruptions, beside the notifications.
    ///
    /// On the main thread.
    @available(*, deprecated, message: "observe the notifications")
    public weak var delegate: (any AVAudioSessionDelegate)? {
        get { delegateBox.object as? any AVAudioSessionDelegate }
        set { delegateBox.object = newValue }
    }
}

/// The flag of `endInterruption(withFlags:)`: the app may resume.
public let AVAudioSessionInterruptionFlags_ShouldResume: Int = 1

/// The flag of `setActive(_:withFlags:)`.
public let AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation: Int = 1

/// Receives interruptions.
///
/// On the main thread.
///
/// Source: SDK header AVAudioSessionDeprecated.h (iOS 3, deprecated in iOS 6).
public protocol AVAudioSessionDelegate: AnyObject {
    /// An interruption has begun; the session is inactive already.
    ///
    /// On the main thread.
    func beginInterruption()
    /// An interruption has ended; `AVAudioSessionInterruptionFlags_ShouldResume` is set if the app may resume.
    ///
    /// On the main thread.
    func endInterruption(withFlags flags: Int)
    /// Called by ``endInterruption(withFlags:)`` where the delegate does not implement that.
    func endInterruption()
    /// An input has arrived, or the last one has left.
    ///
    /// On the main thread.
    func inputIsAvailableChanged(_ isInputAvailable: Bool)
}

extension AVAudioSessionDelegate {
    /// Does nothing, so that a delegate need not implement it.
    public func beginInterruption() {}
    /// Calls ``endInterruption()``.
    public func endInterruption(withFlags flags: Int) { endInterruption() }
    public func endInterruption() {}
    /// Does nothing, so that a delegate need not implement it.
    public func inputIsAvailableChanged(_ isInputAvailable: Bool) {}
}
