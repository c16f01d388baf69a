package import AudioModel
package import CPipeWireShims
internal import Threading

extension PipeWireServerCalls {
    /// Puts a claim on the server: a node that all programs see, and which ends with this process.
    ///
    /// With the loop locked. The answer is `claimNamed` or `claimFailed`.
    ///
    /// - Parameters:
    ///   - tag: the number by which the server's answers name it.
    ///   - configuration: nil for a guard.
    ///   - mode: a guard's mode.
    ///   - focus: what the claim asks of programs without a session; nil: its configuration decides.
    ///   - program: the program that holds the claim, shown to others; nil: this one.
    /// - Returns: the status, and the reason if it is not `OAV_PW_OK`; no answer follows then.
    package func putClaim(
        _ tag: UInt64, in registry: oav_pw_claims, configuration: SessionConfiguration? = nil, mode: String? = nil,
        focus: String? = nil, program: String? = nil
    ) -> (oav_pw_status, String) {
        // The keys are those of `PipeWireProgramNode`.
        let properties = [
            "application.name": program,
            "audiosession.claim.category": configuration?.category.word,
            "audiosession.claim.mode": configuration?.mode.word ?? mode,
            "audiosession.claim.policy": configuration?.policy.word,
            "audiosession.claim.options": "\(configuration?.options.rawValue ?? 0)",
            "audiosession.focus": focus,
            // Set from the start: if its program is killed, the programs that yielded to it still resume.
            "audiosession.claim.notifies-others": focus.map { _ in "true" },
        ]
        let copies = properties.flatMap { key, value in value.map { [strdup(key), strdup($0)] } ?? [] }
        defer { for copy in copies { free(copy) } }
        let texts = copies.map { UnsafePointer($0) } + [nil]
        return withShimText { oav_pw_claim_put(host, tag, registry, texts, $0, $1) }
    }
}
