import OpenAVFAudio
import SessionCore

/// The outputs that can be chosen, and the one that is.
struct OutputFacts: Hashable, Sendable {
    /// Under multiRoute the route's outputs in its order, else every connected one that the category can use.
    var all: [PortFacts] = []
    /// Where the sound goes now.
    var current: [PortFacts] = []
    var choice = OutputChoice.automatic

    /// Whether a row for this output, or for none in particular, is the one that was chosen.
    func isChosen(_ row: OutputChoice) -> Bool {
        if case .kind(let kind) = choice, case .port(let uid) = row {
            return all.first { $0.portType == AVAudioSession.Port(kind).rawValue }?.uid == uid
        }
        return row == choice
    }
}
