import CSofa
package import EffectCore
import Synchronization

/// The head of libmysofa's default file, at one rate.
///
/// Any thread; a lock keeps callers apart.
package final class SofaFilters: HeadFilters {
    /// Debian's package libmysofa1 has it.
    private static let path = "/usr/share/libmysofa/default.sofa"
    /// Opening a file takes a third of a second: each rate has its filters once.
    private static let opened = Mutex<[Double: SofaFilters]>([:])
    /// The longest delay before a filter that is looked at: 2 ms.
    private static let mostDelaySeconds = 0.002

    package let taps: Int
    private let fileTaps: Int
    private let sampleRate: Double
    private let handle: Mutex<Handle>

    /// Sendable by rule: used under the lock only.
    private struct Handle: @unchecked Sendable {
        let sofa: OpaquePointer
    }

    /// Nil where libmysofa or its file is not installed.
    ///
    /// Control threads: it reads a file.
    package static func filters(sampleRate: Double) -> SofaFilters? {
        opened.withLock { opened in
            if let filters = opened[sampleRate] { return filters }
            guard let filters = SofaFilters(sampleRate: sampleRate) else { return nil }
            opened[sampleRate] = filters
            return filters
        }
    }

    private init?(sampleRate: Double) {
        var count: Int32 = 0
        guard (8000...192_000).contains(sampleRate), let sofa = oav_sofa_open(Self.path, Float(sampleRate), &count)
        else { return nil }
        self.sampleRate = sampleRate
        fileTaps = Int(count)
        var filter = [Float](repeating: 0, count: 2 * fileTaps)
        var longest: Float = 0
        for (ahead, left) in [(1, 0), (0, 1), (-1, 0), (0, -1)] as [(Float, Float)] {
            let delays = Self.read(sofa, ahead, left, 0, into: &filter)
            longest = max(longest, delays.left, delays.right)
        }
        let delay = min(max(Double(longest.isFinite ? longest : 0), 0), Self.mostDelaySeconds)
        taps = (fileTaps + Int((delay * sampleRate).rounded(.up)) + 7) / 8 * 8
        handle = Mutex(Handle(sofa: sofa))
    }

    deinit { handle.withLock { oav_sofa_close($0.sofa) } }

    private static func read(
        _ sofa: OpaquePointer, _ ahead: Float, _ left: Float, _ up: Float, into filter: inout [Float]
    ) -> (left: Float, right: Float) {
        let taps = filter.count / 2
        var delays: (left: Float, right: Float) = (0, 0)
        filter.withUnsafeMutableBufferPointer { filter in
            guard let first = filter.baseAddress else { return }
            oav_sofa_filter(sofa, ahead, left, up, first, first + taps, &delays.left, &delays.right)
        }
        return delays
    }

    package func filter(from direction: SpaceVector) -> [Float] {
        var raw = [Float](repeating: 0, count: 2 * fileTaps)
        let delays = handle.withLock { Self.read($0.sofa, direction.z, -direction.x, direction.y, into: &raw) }
        var filter = [Float](repeating: 0, count: 2 * taps)
        for (ear, delay) in [delays.left, delays.right].enumerated() {
            let frames = delay.isFinite ? Int((Double(min(max(delay, 0), 1)) * sampleRate).rounded()) : 0
            let first = min(frames, taps - fileTaps)
            for tap in 0..<fileTaps {
                let sample = raw[ear * fileTaps + tap]
                filter[ear * taps + first + tap] = sample.isFinite ? sample : 0
            }
        }
        return filter
    }
}
