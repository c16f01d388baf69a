import CRealtime

/// A point or a direction in metres; x is to the right, y up, and z behind a listener as it is at first.
package struct SpaceVector: Hashable, Sendable {
    package var x: Float
    package var y: Float
    package var z: Float

    package init(_ x: Float, _ y: Float, _ z: Float) { (self.x, self.y, self.z) = (x, y, z) }

    static func - (a: SpaceVector, b: SpaceVector) -> SpaceVector { SpaceVector(a.x - b.x, a.y - b.y, a.z - b.z) }

    static func + (a: SpaceVector, b: SpaceVector) -> SpaceVector { SpaceVector(a.x + b.x, a.y + b.y, a.z + b.z) }

    static func * (a: SpaceVector, factor: Float) -> SpaceVector {
        SpaceVector(a.x * factor, a.y * factor, a.z * factor)
    }

    func dot(_ other: SpaceVector) -> Float { x * other.x + y * other.y + z * other.z }

    func cross(_ other: SpaceVector) -> SpaceVector {
        SpaceVector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// In Double: the squares of large floats are no floats.
    var length: Float {
        let (x, y, z) = (Double(x), Double(y), Double(z))
        return Float((x * x + y * y + z * z).squareRoot())
    }

    var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    /// Of length 1; nil for one without a direction.
    var unit: SpaceVector? {
        let length = length
        return length.isFinite && length > 1e-9 ? SpaceVector(x / length, y / length, z / length) : nil
    }
}

/// Where a listener looks.
package struct SpaceOrientation: Hashable, Sendable {
    package private(set) var forward = SpaceVector(0, 0, -1)
    package private(set) var up = SpaceVector(0, 1, 0)

    package init() {}

    /// `up` is made orthogonal to `forward`; vectors without a direction, or with the same one, are as at first.
    package init(forward: SpaceVector, up: SpaceVector) {
        guard let forward = forward.unit, let up = up.unit else { return }
        let rest = up - forward * up.dot(forward)
        // Less is what rounding leaves of the same direction; the second time takes away what it adds to another one.
        guard rest.length > 1e-6, let first = rest.unit, let last = (first - forward * first.dot(forward)).unit
        else { return }
        (self.forward, self.up) = (forward, last)
    }

    /// In degrees: yaw clockwise from above, pitch upwards, roll to the right; by the yaw first.
    package init(yaw: Float, pitch: Float, roll: Float) {
        guard yaw.isFinite, pitch.isFinite, roll.isFinite else { return }
        let (yaw, pitch, roll) = (Self.radians(yaw), Self.radians(pitch), Self.radians(roll))
        forward = SpaceVector(
            Float(oav_sin(yaw) * oav_cos(pitch)), Float(oav_sin(pitch)), Float(-oav_cos(yaw) * oav_cos(pitch)))
        let right = SpaceVector(Float(oav_cos(yaw)), 0, Float(oav_sin(yaw)))
        up = right.cross(forward) * Float(oav_cos(roll)) + right * Float(oav_sin(roll))
    }

    /// In degrees, -180 to 180; pitch -90 to 90.
    package var angles: (yaw: Float, pitch: Float, roll: Float) {
        let yaw = oav_atan2(Double(forward.x), Double(-forward.z))
        let level = (1 - forward.y * forward.y).squareRoot()
        let right = SpaceVector(Float(oav_cos(yaw)), 0, Float(oav_sin(yaw)))
        let roll = oav_atan2(Double(up.dot(right)), Double(up.dot(right.cross(forward))))
        let pitch = oav_atan2(Double(forward.y), Double(max(level.isFinite ? level : 0, 0)))
        return (Self.degrees(yaw), Self.degrees(pitch), Self.degrees(roll))
    }

    var right: SpaceVector { forward.cross(up) }

    private static func radians(_ degrees: Float) -> Double { Double(degrees) * .pi / 180 }
    private static func degrees(_ radians: Double) -> Float { Float(radians * 180 / .pi) }
}

/// A source as its listener hears it.
package struct SpaceDirection: Hashable, Sendable {
    /// Of length 1: to the right, up, and ahead of the listener; nil within the head.
    package var unit: SpaceVector?
    /// Metres.
    package var distance: Float

    /// Sources closer than this are within the head.
    static let headRadius: Float = 0.0875

    package init(of source: SpaceVector, from listener: SpaceVector, _ orientation: SpaceOrientation) {
        let way = source - listener
        guard way.isFinite else {
            (unit, distance) = (nil, 0)
            return
        }
        distance = way.length
        unit =
            distance < Self.headRadius
            ? nil
            : SpaceVector(way.dot(orientation.right), way.dot(orientation.up), way.dot(orientation.forward)).unit
    }

    /// Of the left and the right loudspeaker: cos and sin of (x + 1) · π / 4, x the share to the right.
    ///
    /// The sum of their squares is 1.
    package var equalPower: (left: Float, right: Float) {
        let angle = Double((unit?.x ?? 0) + 1) * .pi / 4
        return (Float(oav_cos(angle)), Float(oav_sin(angle)))
    }
}

/// How sound fades with its way.
///
/// Source: SDK header AVAudioEnvironmentNode.h, which has the formulas.
package struct SpaceDistance: Hashable, Sendable {
    package enum Model: Int, Sendable { case exponential = 1, inverse, linear }

    package var model = Model.inverse
    /// Metres; nearer sources are as loud as here.
    package var reference: Float = 1
    /// Metres, of the linear model; sources further away are as loud as here.
    package var maximum: Float = 100_000
    package var rolloff: Float = 1

    package init() {}

    /// Linear, 0 to 1; 1 where the formula has no value.
    package func gain(at distance: Float) -> Float {
        let distance = max(distance, reference)
        let gain =
            switch model {
            case .exponential: Float(oav_pow(Double(distance / reference), Double(-rolloff)))
            case .inverse: reference / (reference + rolloff * (distance - reference))
            case .linear: 1 - rolloff * (min(distance, maximum) - reference) / (maximum - reference)
            }
        return gain.isFinite ? min(max(gain, 0), 1) : 1
    }
}
