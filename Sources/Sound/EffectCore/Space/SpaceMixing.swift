import CRealtime

/// What is set on a source of an environment.
package struct SpaceMixing: Hashable, Sendable {
    /// As Apple's numbers are.
    package enum Algorithm: Int, Sendable {
        case equalPower = 0, sphericalHead, headFilter, soundField
        case stereoPassThrough = 5, headFilterHighQuality, automatic
    }

    package enum SourceMode: Int, Sendable { case spatializeIfMono = 0, bypass, pointSource, ambienceBed }

    package enum InHeadMode: Int, Sendable { case mono = 0, bypass }

    package var position = SpaceVector(0, 0, 0)
    package var algorithm = Algorithm.equalPower
    package var sourceMode = SourceMode.spatializeIfMono
    package var inHeadMode = InHeadMode.mono
    /// 0 (dry) to 1 (wet).
    package var reverbBlend: Float = 0
    /// Decibels, -100 to 0.
    package var obstruction: Float = 0
    /// Decibels, -100 to 0.
    package var occlusion: Float = 0

    /// Apple's playback rate: kept, and without effect.
    package var rate: Float = 1

    package init() {}
}

/// Where sources and their listener are, as one value.
package struct SpaceScene: Hashable, Sendable {
    package var listener = SpaceVector(0, 0, 0)
    package var orientation = SpaceOrientation()
    package var distance = SpaceDistance()
    /// Headphones, for `Algorithm.automatic`.
    package var isOnHeadphones = false
    /// Whether sources are sent into the room.
    package var hasRoom = false

    package init() {}

    /// How an input bus sounds.
    ///
    /// - Parameters:
    ///   - volume: linear.
    ///   - hasHeadFilters: whether there are filters of a head; without them a source is panned with equal power.
    package func placing(_ mixing: SpaceMixing, volume: Float, channels: Int, hasHeadFilters: Bool) -> SpacePlacing {
        var placing = SpacePlacing()
        let isPoint =
            switch mixing.sourceMode {
            case .spatializeIfMono: channels == 1
            case .bypass: false
            case .pointSource, .ambienceBed: true
            }
        let direction = SpaceDirection(
            // A bed is around the listener wherever that goes.
            of: mixing.position, from: mixing.sourceMode == .ambienceBed ? SpaceVector(0, 0, 0) : listener, orientation)
        let staysOut = mixing.inHeadMode == .bypass && direction.unit == nil && mixing.algorithm == .automatic
        guard isPoint, mixing.algorithm != .stereoPassThrough, !staysOut else {
            placing.isPassedThrough = true
            (placing.left, placing.right) = (volume, volume)
            return placing
        }
        let fade = mixing.sourceMode == .ambienceBed ? 1 : distance.gain(at: direction.distance)
        let open = Self.gain(decibels: mixing.obstruction + mixing.occlusion)
        let whole = volume * fade * open
        let blend = hasRoom ? mixing.reverbBlend : 0
        placing.room = whole * blend
        let direct = whole * (1 - blend)
        placing.opening = mixing.obstruction + mixing.occlusion
        let wantsHead =
            switch mixing.algorithm {
            case .headFilter, .headFilterHighQuality, .sphericalHead: true
            case .automatic: isOnHeadphones
            case .equalPower, .soundField, .stereoPassThrough: false
            }
        if wantsHead, hasHeadFilters, let unit = direction.unit {
            placing.headDirection = unit
            (placing.left, placing.right) = (direct, direct)
        } else {
            let pan = direction.equalPower
            (placing.left, placing.right) = (direct * pan.left, direct * pan.right)
        }
        return placing
    }

    static func gain(decibels: Float) -> Float {
        decibels >= 0 ? 1 : Float(oav_pow(10, Double(max(decibels, -200)) / 20))
    }
}

/// How an input bus sounds: what the render thread moves towards.
package struct SpacePlacing: Hashable, Sendable {
    /// Linear; on a head, both are the loudness of its filters.
    package var left: Float = 0
    package var right: Float = 0
    /// Linear: what is sent into the room.
    package var room: Float = 0
    /// Decibels of what is in the way, 0 for nothing: it takes high frequencies, too.
    package var opening: Float = 0
    /// Of length 1; nil without filters of a head.
    package var headDirection: SpaceVector?
    /// Each channel stays where it is.
    package var isPassedThrough = false

    package init() {}
}
