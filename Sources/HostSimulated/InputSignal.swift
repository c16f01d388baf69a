/// What a simulated input picks up, as a function of virtual time.
///
/// - Parameters:
///   - frame: of virtual time, at the machine's rate.
///   - channel: of the port, from 0.
/// Called on the thread that advances, once for each frame that a stream captures; it must not call the host.
package typealias InputSignal = @Sendable (_ frame: Int, _ channel: Int) -> Float
