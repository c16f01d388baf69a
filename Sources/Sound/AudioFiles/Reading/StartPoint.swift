/// Where a rate conversion begins so that it has settled when a given output frame comes.
struct StartPoint: Equatable {
    var inputFrame: Int64
    var framesToDiscard: Int64

    /// Frames at the lower of the two rates that cover the converter's filter, which is shorter than half of this.
    static let settlingFrames = 1024.0
}

extension StartPoint {
    /// - Parameter target: a frame at the output rate.
    ///
    /// Both rates tick together once in `gcd` ticks of a second (44 100 and 48 000 Hz: 300 times); starting there keeps
    /// the output's phase. For rates that are not whole numbers the phase is off by up to half an input frame.
    init(beforeOutputFrame target: Int64, inputRate: Double, outputRate: Double) {
        let settling = (Self.settlingFrames * max(1, outputRate / inputRate)).rounded(.up)
        let latest = max(0, target - Int64(settling))
        let outputFrame: Int64
        if let inputRate = Int64(exactly: inputRate), let outputRate = Int64(exactly: outputRate) {
            let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
            let tick = latest / (outputRate / divisor)
            outputFrame = tick * (outputRate / divisor)
            inputFrame = tick * (inputRate / divisor)
        } else {
            outputFrame = latest
            inputFrame = Int64((Double(latest) * inputRate / outputRate).rounded())
        }
        framesToDiscard = target - outputFrame
    }

    private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
