/// What an effect is made from: its settings, sound of one shape, and memory.
///
/// Control threads.
struct EffectBuilder {
    let parameters: EffectParameters
    let shape: EffectShape
    let memory: RenderMemory

    /// More than a delay and a block together.
    func powerOfTwo(above frames: Double) -> Int { (Int(frames) + shape.maximumFrames + 1).nextPowerOfTwo }

    /// One for each channel; not written to: pages of a long buffer come into being as they are used.
    func rows(_ frames: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>> {
        let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = memory.room(shape.channels)
        for row in 0..<shape.channels { (rows + row).initialize(to: memory.room(frames)) }
        return rows
    }
}
