/// The list of outputs as it is shown.
struct PickerPicture: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        enum What: Hashable, Sendable {
            /// The system's choice; `several` where that is a route of several outputs.
            case automatic(several: Bool)
            case output(PortFacts)
            /// Chosen, and not connected now. Untrusted text.
            case away(name: String)
        }

        var what: What
        var isAtCursor: Bool
        var isChosen: Bool
        /// This program's sound goes there now.
        var isInUse: Bool
        /// Linear peaks, one for each channel; silence where nothing is sent.
        var levels: [Float]
    }

    var rows: [Row]
    /// False where each file has an output of its own.
    var canChoose: Bool
}
