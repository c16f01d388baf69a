import AudioModel

/// A volume on its way, in a straight line of amplitude.
struct VolumeSlide: Sendable {
    var from: Float
    var to: Float
    var begin: HostTime
    /// Above 0.
    var seconds: Double

    func volume(at time: HostTime) -> Float {
        let fraction = Float(min(max(time.seconds(since: begin) / seconds, 0), 1))
        return fraction == 1 ? to : from + (to - from) * fraction
    }

    func isOver(at time: HostTime) -> Bool { time.seconds(since: begin) >= seconds }
}
