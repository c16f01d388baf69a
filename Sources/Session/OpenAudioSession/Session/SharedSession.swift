import AudioModel
import HostInterface
import SessionRuntime
import Threading

/// The session of a program, made at first need or by choice.
///
/// Any thread.
final class SharedSession: Sendable {
    /// The one behind `AVAudioSession.sharedInstance()`.
    static let ofProgram = SharedSession(CompositionRoot())

    private let root: CompositionRoot
    private let once = OnceMade<AVAudioSession>()

    init(_ root: CompositionRoot) { self.root = root }

    func session() -> AVAudioSession { once.value { AVAudioSession(runtime: root.runtime()) }.value }

    func select(_ host: AudioSessionHost) throws(AudioSessionHostError) {
        let (session, isNew) = try once.value { () throws(AudioSessionHostError) in
            do throws(HostError) {
                return AVAudioSession(runtime: try root.runtime(on: HostChoice(rawValue: host.rawValue) ?? .automatic))
            } catch {
                throw AudioSessionHostError(.unavailable, error.message)
            }
        }
        guard !isNew else { return }
        throw AudioSessionHostError(
            .sessionExists,
            "The host \"\(host.rawValue)\" cannot be selected: the session exists already and uses "
                + "\"\(session.runtime.host.name)\". Call AudioSessionHost.select before the first "
                + "AVAudioSession.sharedInstance().")
    }
}
