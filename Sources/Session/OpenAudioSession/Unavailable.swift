internal import Foundation

// What Apple declares and Linux cannot have; a use of it says why (see Sources/Apple/OpenAVFAudio/Unavailable.swift).

@available(*, unavailable, message: "macOS only; observe inputMuteStateChangeNotification")
extension AVAudioApplication {
    public func setInputMuteStateChangeHandler(_ handler: ((Bool) -> Bool)?) throws { fatalError() }
}

@available(*, unavailable, message: "visionOS only")
extension AVAudioSession {
    public var intendedSpatialExperience: Never { fatalError() }
    public var isNowPlayingCandidate: Never { fatalError() }
    public func setIntendedSpatialExperience(_ intendedSpatialExperience: Any) throws { fatalError() }
    public func setIsNowPlayingCandidate(_ inValue: Bool) throws { fatalError() }
}
