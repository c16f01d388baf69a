import Synchronization

/// What is wanted of voice processing, and what it has noticed.
///
/// Atomics: any thread sets, the input's data thread reads, and the reverse.
package struct VoiceSettings: ~Copyable {
    private let bypassed = Atomic<Bool>(false)
    private let muted = Atomic<Bool>(false)
    private let gainControlled = Atomic<Bool>(true)
    /// From rendering a frame to capturing it, as the host says, without the way through the air; in nanoseconds.
    private let roundTrip = Atomic<UInt64>(0)
    private let speaking = Atomic<Bool>(false)
    private let reportedDelay = Atomic<Int64>(-1)

    @_noLocks @_noAllocation
    package init() {}

    // MARK: Any thread

    @_noLocks @_noAllocation
    package func setBypassed(_ value: Bool) { bypassed.store(value, ordering: .relaxed) }

    @_noLocks @_noAllocation
    package func setMuted(_ value: Bool) { muted.store(value, ordering: .relaxed) }

    @_noLocks @_noAllocation
    package func setGainControlled(_ value: Bool) { gainControlled.store(value, ordering: .relaxed) }

    @_noLocks @_noAllocation
    package func setRoundTrip(nanoseconds: UInt64) { roundTrip.store(nanoseconds, ordering: .relaxed) }

    /// Whether a person speaks into the microphone, also while it is muted.
    @_noLocks @_noAllocation
    package func isSpeaking() -> Bool { speaking.load(ordering: .relaxed) }

    /// From rendering a frame to capturing its echo, in milliseconds, as it was measured last; nil before.
    @_noLocks @_noAllocation
    package func measuredDelayMilliseconds() -> Int? {
        let delay = reportedDelay.load(ordering: .relaxed)
        return delay < 0 ? nil : Int(delay)
    }

    // MARK: Input's data thread

    @_noLocks @_noAllocation
    func isBypassed() -> Bool { bypassed.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    func isMuted() -> Bool { muted.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    func isGainControlled() -> Bool { gainControlled.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    func roundTripNanoseconds() -> UInt64 { roundTrip.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    func note(isSpeaking: Bool) { speaking.store(isSpeaking, ordering: .relaxed) }

    @_noLocks @_noAllocation
    func note(delayMilliseconds: Int) { reportedDelay.store(Int64(delayMilliseconds), ordering: .relaxed) }
}
