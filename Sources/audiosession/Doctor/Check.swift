/// One thing that a doctor looks at.
struct Check: Hashable, Sendable {
    enum Verdict: String, Hashable, Sendable {
        case ok
        /// It works, but not as well as it could.
        case warning
        /// Without it nothing plays.
        case missing
    }

    var name: String
    var verdict: Verdict
    var finding: String
    /// What to do; nil where nothing is to be done.
    var remedy: String?

    static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, verdict: .ok, finding: finding, remedy: nil)
    }

    static func warning(_ name: String, _ finding: String, remedy: String) -> Check {
        Check(name: name, verdict: .warning, finding: finding, remedy: remedy)
    }

    static func missing(_ name: String, _ finding: String, remedy: String) -> Check {
        Check(name: name, verdict: .missing, finding: finding, remedy: remedy)
    }
}
