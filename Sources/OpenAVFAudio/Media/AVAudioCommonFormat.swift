/// The named layouts of linear PCM samples.
///
/// Source: SDK header AVAudioFormat.h.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Everything else: another width or byte order, or compressed.
    case otherFormat = 0
    /// Float32 of the machine's byte order, nominal ±1.
    case pcmFormatFloat32 = 1
    /// Float64 of the machine's byte order, nominal ±1.
    case pcmFormatFloat64 = 2
    /// Signed, of the machine's byte order; full scale is −32 768…32 767.
    case pcmFormatInt16 = 3
    /// Signed, of the machine's byte order; full scale is −2 147 483 648…2 147 483 647.
    case pcmFormatInt32 = 4
}
