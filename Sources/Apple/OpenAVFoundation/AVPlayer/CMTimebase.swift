public import CoreMedia
import Foundation
import SessionRuntime

/// The clock of an item: its position, and how fast that goes on.
///
/// Any thread. It cannot be set: seek the item, and set the player's rate.
///
/// Source: SDK header CMSync.h of CoreMedia.
public final class CMTimebase: Sendable {
    private let item: WeakBox<AVPlayerItem>

    init(of item: AVPlayerItem) { self.item = WeakBox(item) }

    /// The item's position; zero after the item has gone.
    public var time: CMTime { item.object?.currentTime() ?? .zero }

    /// How fast the item plays now; 0 while it does not.
    public var rate: Double { item.object?.playingRate ?? 0 }

    /// The same as `rate`: it depends on no other clock.
    public var effectiveRate: Double { rate }
}

/// The time of a timebase.
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }

/// How fast the time of a timebase goes on; 0 while it stands.
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Float64 { timebase.rate }

/// The same as `CMTimebaseGetRate`: a timebase depends on no other one.
public func CMTimebaseGetEffectiveRate(_ timebase: CMTimebase) -> Float64 { timebase.effectiveRate }

/// The time of a timebase in units of a scale.
///
/// - Parameters:
///   - timebase: whose time it is.
///   - timescale: units in a second.
///   - method: how it is rounded.
public func CMTimebaseGetTimeWithTimeScale(
    _ timebase: CMTimebase, timescale: CMTimeScale, method: CMTimeRoundingMethod
) -> CMTime { CMTimeConvertScale(timebase.time, timescale: timescale, method: method) }
