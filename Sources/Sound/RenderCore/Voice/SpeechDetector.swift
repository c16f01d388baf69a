/// Says whether a person speaks, from the power of blocks of 10 ms.
///
/// Speech is what is 9 dB above the background, which is followed slowly upwards and at once downwards, above -55 dBFS, and not what
/// the canceller has left of an echo. It begins with 100 ms of it within 150 ms, and ends with 500 ms without any.
///
/// One thread: the input's data thread.
struct SpeechDetector {
    private var background: Float = 3.2e-8
    /// A bit for each of the last blocks.
    private var loud: UInt32 = 0
    private var quiet = 0
    private(set) var isSpeaking = false

    @_noLocks @_noAllocation
    init() {}

    /// - Parameters:
    ///   - captured: mean power of the block before it was cleaned.
    ///   - cleaned: and after.
    /// - Returns: whether this block sounds like speech.
    @_noLocks @_noAllocation
    mutating func add(captured: Float, cleaned: Float) -> Bool {
        // -75 dBFS: quieter backgrounds are the canceller's own silence.
        background = max(min(cleaned, background * 1.002), 3.2e-8)
        // 9 dB, -55 dBFS; what the canceller has lowered by more than 15 dB is echo.
        let isLoud = cleaned > background * 8 && cleaned > 3.2e-6 && cleaned > captured * 0.03
        loud = loud &<< 1 | (isLoud ? 1 : 0)
        quiet = isLoud ? 0 : min(quiet &+ 1, 50)
        if isSpeaking {
            isSpeaking = quiet < 50
        } else {
            isSpeaking = (loud & 0x7FFF).nonzeroBitCount >= 10
        }
        return isLoud
    }
}
