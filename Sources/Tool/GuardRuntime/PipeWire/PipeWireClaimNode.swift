internal import AudioModel
internal import CPipeWireShims
internal import HostPipeWire

/// A claim that becomes a node on the server, which all programs see, and which ends with this process.
struct PipeWireClaimNode: Hashable, Sendable {
    enum Registry: Hashable, Sendable {
        case sessions
        case guards
    }

    /// The number by which the server's answers name it.
    var tag: UInt64
    var registry: Registry
    /// nil for a guard.
    var configuration: SessionConfiguration?
    /// A guard's mode.
    var mode: String?
    /// What the claim asks of programs without a session; nil: its configuration decides.
    var focus: String?
    /// The program that holds the claim, shown to others; nil: this one.
    var program: String?

    /// Makes the node; the answer is `claimNamed` or `claimFailed`.
    ///
    /// With the loop locked.
    ///
    /// - Returns: the status, and the reason if it is not `OAV_PW_OK`; no answer follows then.
    func put(on host: OpaquePointer) -> (oav_pw_status, String) {
        withShimText { text, size in
            withOptionalCString(configuration?.category.word) { category in
                withOptionalCString(configuration?.mode.word ?? mode) { mode in
                    withOptionalCString(focus) { focus in
                        withOptionalCString(program) { program in
                            var config = oav_pw_claim_config(
                                tag: tag,
                                registry: registry == .guards ? OAV_PW_CLAIMS_OF_GUARDS : OAV_PW_CLAIMS_OF_SESSIONS,
                                focus: focus, program: program, category: category, mode: mode, policy: nil,
                                options: UInt64(configuration?.options.rawValue ?? 0))
                            return oav_pw_claim_put(host, &config, text, size)
                        }
                    }
                }
            }
        }
    }
}
