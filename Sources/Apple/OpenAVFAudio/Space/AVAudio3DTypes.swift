internal import EffectCore

/// A point of an environment, in metres: x to the right, y up, z behind a listener who looks as at first.
///
/// Source: SDK header AVAudioTypes.h.
public struct AVAudio3DPoint: Sendable {
    /// To the right.
    public var x: Float
    /// Up.
    public var y: Float
    /// Behind.
    public var z: Float

    /// The origin.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// A place.
    ///
    /// - Parameters:
    ///   - x: to the right, in metres.
    ///   - y: up.
    ///   - z: behind.
    public init(x: Float, y: Float, z: Float) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ vector: SpaceVector) { self.init(x: vector.x, y: vector.y, z: vector.z) }

    var vector: SpaceVector { SpaceVector(x, y, z) }
}

/// A direction; its length does not matter.
public typealias AVAudio3DVector = AVAudio3DPoint

/// Where a listener looks, as two orthogonal directions.
///
/// Source: SDK header AVAudioTypes.h.
public struct AVAudio3DVectorOrientation: Sendable {
    /// Ahead.
    public var forward: AVAudio3DVector
    /// Out of the top of the head.
    public var up: AVAudio3DVector

    /// Both are the origin, which is no direction.
    public init() { self.init(forward: AVAudio3DVector(), up: AVAudio3DVector()) }

    /// The way that a listener looks.
    ///
    /// - Parameters:
    ///   - forward: ahead.
    ///   - up: out of the top of the head.
    public init(forward: AVAudio3DVector, up: AVAudio3DVector) { (self.forward, self.up) = (forward, up) }
}

/// Where a listener looks, as three angles in degrees: turned by the yaw, then the pitch, then the roll.
///
/// Source: SDK header AVAudioTypes.h.
public struct AVAudio3DAngularOrientation: Sendable {
    /// Clockwise, as seen from above.
    public var yaw: Float
    /// Upwards.
    public var pitch: Float
    /// To the right.
    public var roll: Float

    /// Ahead.
    public init() { self.init(yaw: 0, pitch: 0, roll: 0) }

    /// The way that a listener looks, as angles.
    ///
    /// - Parameters:
    ///   - yaw: clockwise, in degrees.
    ///   - pitch: upwards.
    ///   - roll: to the right.
    public init(yaw: Float, pitch: Float, roll: Float) { (self.yaw, self.pitch, self.roll) = (yaw, pitch, roll) }
}

/// A point, in metres.
public func AVAudioMake3DPoint(_ x: Float, _ y: Float, _ z: Float) -> AVAudio3DPoint {
    AVAudio3DPoint(x: x, y: y, z: z)
}

/// A direction.
public func AVAudioMake3DVector(_ x: Float, _ y: Float, _ z: Float) -> AVAudio3DVector {
    AVAudio3DVector(x: x, y: y, z: z)
}

/// An orientation of two directions.
public func AVAudioMake3DVectorOrientation(
    _ forward: AVAudio3DVector, _ up: AVAudio3DVector
) -> AVAudio3DVectorOrientation {
    AVAudio3DVectorOrientation(forward: forward, up: up)
}

/// An orientation of three angles in degrees.
public func AVAudioMake3DAngularOrientation(_ yaw: Float, _ pitch: Float, _ roll: Float) -> AVAudio3DAngularOrientation
{
    AVAudio3DAngularOrientation(yaw: yaw, pitch: pitch, roll: roll)
}
