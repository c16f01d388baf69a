internal import AudioFiles

/// Bytes of a sound from any place, which come when they are asked for.
///
/// One thread at a time; waits.
package class SoundSource: SoundOrigin {
    /// Of the whole; nil: it is not known.
    final let size: Int64?
    /// A radio station: its bytes have no places.
    final let isLive: Bool
    final let isSeekable: Bool
    /// Why the last read gave nothing; nil: it gave bytes, or the end.
    final private(set) var fault: ServerFault?

    final let traffic: StreamTraffic

    package final var failure: String? {
        fault.map { $0 == .changed ? "\($0.reason). \(ServerFault.adviceOnChange)" : "\($0.reason)." }
    }

    init(size: Int64?, isLive: Bool, isSeekable: Bool, _ traffic: StreamTraffic) {
        (self.size, self.isLive, self.isSeekable, self.traffic) = (size, isLive, isSeekable, traffic)
    }

    /// Bytes from `offset` on, at least 1; 0 at the end; negative: `fault` says why.
    final func read(at offset: Int64, into room: UnsafeMutableRawBufferPointer) -> Int {
        fault = nil
        if let size, offset >= size { return 0 }
        return traffic.count {
            do throws(ServerFault) {
                return try bytes(at: offset, into: room)
            } catch {
                fault = error
                return -1
            }
        }
    }

    /// As `read`, before the end; to override.
    func bytes(at offset: Int64, into room: UnsafeMutableRawBufferPointer) throws(ServerFault) -> Int { 0 }

    /// What follows is no part of the opening.
    func endOpening() {}

    /// The title of a station that came last; nil: none since the last call.
    func takeTitle() -> String? { nil }
}
