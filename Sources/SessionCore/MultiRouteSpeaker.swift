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
}
