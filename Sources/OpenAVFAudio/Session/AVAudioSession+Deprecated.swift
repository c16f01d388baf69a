// Members that iOS 6 deprecated and still declares. Source: SDK header AVAudioSessionDeprecated.h.
extension AVAudioSession {
    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }

    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }

    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }

    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }

    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }

    /// - Throws: as ``setPreferredSampleRate(_:)``.
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }

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
    func beginInterruption()
    func endInterruption(withFlags flags: Int)
    /// Called by ``endInterruption(withFlags:)`` where the delegate does not implement that.
    func endInterruption()
    func inputIsAvailableChanged(_ isInputAvailable: Bool)
}

extension AVAudioSessionDelegate {
    public func beginInterruption() {}
    public func endInterruption(withFlags flags: Int) { endInterruption() }
    public func endInterruption() {}
    public func inputIsAvailableChanged(_ isInputAvailable: Bool) {}
}
