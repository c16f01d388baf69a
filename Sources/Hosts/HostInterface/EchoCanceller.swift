package import CRealtime

/// Takes out of what is captured what the same program plays.
package protocol EchoCanceller: AnyObject, Sendable {
    /// For the render thread; valid as long as this object lives.
    var function: oav_canceller { get }
}
