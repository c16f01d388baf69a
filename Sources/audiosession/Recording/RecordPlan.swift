import AudioModel
import SessionCore

/// What is to be recorded, and how.
struct RecordPlan: Sendable {
    static let configuration = SessionConfiguration(category: .record)

    var path: String
    /// Seconds; nil until somebody stops it.
    var duration: Double?
    /// Whether a file that is there may be emptied.
    var overwrites: Bool
}
