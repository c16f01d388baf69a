import AudioModel
import EngineCore
import HostInterface
import Synchronization

/// A source's volume: what its user set, perhaps on its way there, times what other sessions leave of it.
///
/// Any thread.
final class VolumeControl: Sendable {
    private let source: SourceFeed
    private let host: any AudioHost
    private let state = Mutex(State())

    private struct State {
        /// While there is a slide: what the renderer was told last.
        var volume: Float = 1
        /// Where the volume is going.
        var slide: Slide?
        /// What other sessions leave of it.
        var gain: Float = 1

        func volume(at time: HostTime) -> Float { slide?.volume(at: time) ?? volume }
    }

    /// A straight line of amplitude.
    private struct Slide {
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

    init(source: SourceFeed, host: any AudioHost) {
        self.source = source
        self.host = host
    }

    /// 0...1, linear amplitude.
    var volume: Float {
        let now = host.now()
        return state.withLock { $0.volume(at: now) }
    }

    func setVolume(_ volume: Float, overSeconds seconds: Double = 0) {
        let clamped = volume.isFinite ? min(max(volume, 0), 1) : 0
        let now = host.now()
        change {
            let from = $0.volume(at: now)
            $0.slide = seconds > 0 ? Slide(from: from, to: clamped, begin: now, seconds: seconds) : nil
            $0.volume = $0.slide == nil ? clamped : from
        }
    }

    /// - Parameter gain: 0...1, linear amplitude.
    func setGain(_ gain: Float) { change { $0.gain = gain } }

    /// Follows a slide; false where there is none.
    @discardableResult
    func slide() -> Bool {
        guard state.withLock({ $0.slide != nil }) else { return false }
        let now = host.now()
        change { state in
            state.volume = state.volume(at: now)
            if state.slide?.isOver(at: now) == true { state.slide = nil }
        }
        return true
    }

    /// Published under the lock, or an older product could overtake a newer one.
    private func change(_ body: (inout State) -> Void) {
        state.withLock {
            body(&$0)
            source.setVolume($0.volume * $0.gain)
        }
    }
}
