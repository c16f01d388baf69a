package import AudioModel
import CPipeWireShims
package import CRealtime
import HostInterface

/// PipeWire's echo canceller in this process; it needs no server.
///
/// Sendable by rule: the pointer never changes, and only one renderer runs it.
package final class PipeWireEchoCanceller: EchoCanceller, @unchecked Sendable {
    private let canceller: OpaquePointer

    /// - Parameter sampleRate: hertz, a multiple of 100 from 8000 to 192 000.
    /// - Throws: `refused`, with what is missing and which package contains it.
    package init(sampleRate: Double) throws(HostError) {
        var text = [CChar](repeating: 0, count: 256)
        let rate = UInt32(min(max(sampleRate.isFinite ? sampleRate : 0, 0), 1e9))
        guard let opened = oav_pw_canceller_open(rate, &text, text.count) else {
            let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw .refused("Echo cancellation is not there: \(reason). \(Self.remedy)")
        }
        canceller = opened
    }

    deinit { oav_pw_canceller_close(canceller) }

    package var function: oav_canceller {
        oav_canceller(run: oav_pw_canceller_run, context: UnsafeMutableRawPointer(canceller))
    }

    package static let remedy = "Install the package libspa-0.2-modules (Debian and Ubuntu; pipewire elsewhere)."
}
