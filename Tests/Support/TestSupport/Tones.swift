import Foundation

/// Frame n has the value n times `step`, exactly: each frame says which it is.
///
/// - Parameters:
///   - first: n of the first frame.
///   - count: how many frames.
package func ramp(_ first: Int, _ count: Int, step: Float = 1 / 65_536) -> [Float] {
    (first..<first + count).map { Float($0) * step }
}

/// A sine from phase 0.
///
/// - Parameters:
///   - level: the peak, linear.
///   - rate: in hertz.
package func tone(_ hertz: Double, frames: Int, level: Double = 0.5, rate: Double = 48_000) -> [Float] {
    (0..<frames).map { Float(level * sin(2 * .pi * hertz * Double($0) / rate)) }
}
