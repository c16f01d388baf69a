import EngineCore
internal import SessionRuntime
import Synchronization

/// How loud each channel of a source is, at its volume: a tap, which the thread that feeds sums up in time.
///
/// Any thread but the render thread.
final class LevelMeter: Sendable {
    /// Longer than a thread that feeds rests.
    private static let capacitySeconds = 0.5

    private let mixer: SourceMixer
    private let channels: Int
    private let metering = Mutex<Metering?>(nil)

    private struct Metering {
        var tap: TapFeed
        var measures: [LevelMeasure]
    }

    init(mixer: SourceMixer, channels: Int) {
        self.mixer = mixer
        self.channels = channels
    }

    /// Whether it measures; false at first.
    var isEnabled: Bool {
        get { metering.withLock { $0 != nil } }
        set {
            metering.withLock { metering in
                guard newValue != (metering != nil) else { return }
                metering =
                    newValue
                    ? Metering(
                        tap: mixer.makeTap(capacitySeconds: Self.capacitySeconds),
                        measures: LevelMeasure.none(channels: channels))
                    : nil
                mixer.setTap(metering?.tap)
            }
        }
    }

    /// One for each channel since the last call; nil while not enabled.
    func takeMeasure() -> [LevelMeasure]? {
        metering.withLock { metering in
            Self.measure(&metering)
            defer { metering?.measures = LevelMeasure.none(channels: channels) }
            return metering?.measures
        }
    }

    func measure() { metering.withLock { Self.measure(&$0) } }

    private static func measure(_ metering: inout Metering?) {
        guard let tap = metering?.tap else { return }
        tap.drain { _, samples in metering?.measures.add(interleaved: samples) }
    }
}
