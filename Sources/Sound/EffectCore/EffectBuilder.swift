/// What an effect is made from: its settings, a shape of sound, and memory.
///
/// Control threads.
struct EffectBuilder {
    let parameters: EffectParameters
    let channels: Int
    let sampleRate: Double
    let maximumFrames: Int
    let memory: RenderMemory

    var values: ParameterValues { parameters.values }

    /// More than a delay and a block together.
    func powerOfTwo(above frames: Double) -> Int { (Int(frames) + maximumFrames + 1).nextPowerOfTwo }

    /// One for each channel; not written to: pages of a long buffer come into being as they are used.
    func rows(_ frames: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>> {
        let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = memory.room(channels)
        for row in 0..<channels { (rows + row).initialize(to: memory.room(frames)) }
        return rows
    }
}
