internal import AudioModel

/// When the machine's own speaker is part of a `multiRoute` session's route: Apple's two texts differ.
package enum MultiRouteSpeaker: String, Hashable, Sendable, CaseIterable {
    /// Only while no other eligible output is connected.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0), `AVAudioSessionCategoryMultiRoute`.
    case onlyWhenAlone
    /// Whenever it is there: the route then has every eligible output.
    ///
    /// Source: Apple documentation ("Routing audio to specific devices in multidevice sessions").
    case always

    /// The environment variable that chooses where the program does not.
    package static let variable = "AUDIOSESSION_MULTIROUTE_SPEAKER"

    /// - Throws: `badParam` for a word that is none of the cases; an empty text is the default.
    package init(parsing text: String) throws(SessionError) {
        let word = text.lowercased()
        if word.isEmpty {
            self = .onlyWhenAlone
        } else if let choice = Self.allCases.first(where: { $0.rawValue.lowercased() == word }) {
            self = choice
        } else {
            let allowed = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw SessionError(
                .badParam, "\(Self.variable) is \"\(text.printable)\", which is none of: \(allowed). Set one of these.")
        }
    }
}
