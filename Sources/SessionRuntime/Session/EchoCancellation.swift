internal import AudioModel
internal import HostPipeWire

/// The canceller of this machine.
package enum EchoCancellation {
    /// Why there is none, and what to install; nil where it works.
    ///
    /// Loads it, once; any thread.
    package static let problem: String? = {
        do throws(HostError) {
            _ = try EchoCanceller(sampleRate: 48_000)
            return nil
        } catch {
            return error.message
        }
    }()

    package static let remedy = EchoCanceller.remedy
}
