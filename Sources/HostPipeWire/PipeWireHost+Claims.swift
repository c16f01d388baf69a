internal import AudioModel
internal import CPipeWireShims
internal import HostInterface

extension PipeWireHost {
    /// The claim becomes a node of the server's, which all programs see; its serial is the place.
    func put(_ claim: SessionClaim, on connection: PipeWireConnection) {
        let configuration = claim.configuration
        let (status, words) = withShimText { text, size in
            configuration.category.claimWord.withCString { category in
                configuration.mode.claimWord.withCString { mode in
                    configuration.policy.claimWord.withCString { policy in
                        var config = oav_pw_claim_config(
                            tag: claim.id.number, category: category, mode: mode, policy: policy,
                            options: UInt64(configuration.options.rawValue))
                        return oav_pw_claim_put(connection.pointer, &config, text, size)
                    }
                }
            }
        }
        guard status != OAV_PW_OK else { return }
        connection.emitter.answer(.claimRefused(claim.id, HostError(status, words)))
        connection.report()
    }
}
