package import AudioModel
package import CPipeWireShims

/// A claim that becomes a node on the server, which all programs see, and which ends with this process.
package struct PipeWireClaimNode: Hashable, Sendable {
    package enum Registry: Hashable, Sendable {
        case sessions
        case guards
    }

    /// The number by which the server's answers name it.
    package var tag: UInt64
    private let registry: Registry
    private let configuration: SessionConfiguration?
    private let mode: String?
    private let focus: String?
    private let program: String?

    /// - Parameters:
    ///   - configuration: nil for a guard.
    ///   - mode: a guard's mode.
    ///   - focus: what the claim asks of programs without a session; nil: its configuration decides.
    ///   - program: the program that holds the claim, shown to others; nil: this one.
    package init(
        tag: UInt64, registry: Registry, configuration: SessionConfiguration? = nil, mode: String? = nil,
        focus: String? = nil, program: String? = nil
    ) {
        self.tag = tag
        self.registry = registry
        self.configuration = configuration
        self.mode = mode
        self.focus = focus
        self.program = program
    }

    /// Makes the node; the answer is `claimNamed` or `claimFailed`.
    ///
    /// With the loop locked.
    ///
    /// - Returns: the status, and the reason if it is not `OAV_PW_OK`; no answer follows then.
    package func put(on host: OpaquePointer) -> (oav_pw_status, String) {
        withShimText { text, size in
            withOptionalCString(configuration?.category.word) { category in
                withOptionalCString(configuration?.mode.word ?? mode) { mode in
                    withOptionalCString(configuration?.policy.word) { policy in
                        withOptionalCString(focus) { focus in
                            withOptionalCString(program) { program in
                                var config = oav_pw_claim_config(
                                    tag: tag,
                                    registry: registry == .guards ? OAV_PW_CLAIMS_OF_GUARDS : OAV_PW_CLAIMS_OF_SESSIONS,
                                    focus: focus, program: program, category: category, mode: mode, policy: policy,
                                    options: UInt64(configuration?.options.rawValue ?? 0))
                                return oav_pw_claim_put(host, &config, text, size)
                            }
                        }
                    }
                }
            }
        }
    }
}
