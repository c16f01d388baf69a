import EngineCore
import Synchronization

/// How loud each channel of the file is, at the player's volume.
///
/// The renderer writes what it hears to a tap, and the thread that reads ahead sums it up in time.
extension FilePlayerController {
    /// Longer than a reader thread rests.
    private static let meteredSeconds = 0.5

    struct Metering {
        var tap: TapFeed
        var measures: [LevelMeasure]
    }

    // MARK: Any thread

    var isMetered: Bool { metering.withLock { $0 != nil } }

    func setMetered(_ isMetered: Bool) {
        metering.withLock { metering in
            guard isMetered != (metering != nil) else { return }
            metering =
                isMetered
                ? Metering(
                    tap: playback.makeTap(capacitySeconds: Self.meteredSeconds),
                    measures: LevelMeasure.none(channels: info.channels.count))
                : nil
            playback.setTap(metering?.tap)
        }
    }

    /// One for each channel of the file since the last call; nil while not metered.
    func takeMeasure() -> [LevelMeasure]? {
        measure()
        return metering.withLock { metering in
            defer { metering?.measures = LevelMeasure.none(channels: info.channels.count) }
            return metering?.measures
        }
    }

    func measure() {
        metering.withLock { metering in
            guard let tap = metering?.tap else { return }
            tap.drain { _, samples in metering?.measures.add(interleaved: samples) }
        }
    }
}
