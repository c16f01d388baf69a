package import AudioModel
package import HostInterface

#if os(Linux)
    internal import HostPipeWire
#endif

/// The echo canceller of this machine: PipeWire's, whichever host the session has.
package enum EchoCancellation {
    /// Why there is none, and what to install; nil where it works.
    ///
    /// Loads it, once; any thread.
    package static let problem: String? = {
        do throws(HostError) {
            _ = try canceller(sampleRate: 48_000)
            return nil
        } catch {
            return error.message
        }
    }()

    /// - Parameter sampleRate: hertz, a multiple of 100 from 8000 to 192 000.
    /// - Throws: what is missing, and which package has it.
    package static func canceller(sampleRate: Double) throws(HostError) -> any EchoCanceller {
        #if os(Linux)
            try PipeWireEchoCanceller(sampleRate: sampleRate)
        #else
            throw HostError.unreachable("The echo canceller is PipeWire's, which is a server of Linux.")
        #endif
    }
}
