import AVFAudio

/// What the terminal needs of a player whose device can be chosen.
@MainActor
protocol Picker {
    var choices: [Choice] { get }
    func select(_ index: Int) throws
    /// The first device of that type.
    func select(_ portType: AVAudioSession.Port) throws
    /// The route or the channels of the engine's output changed.
    func follow()
    /// Starts or resumes.
    func start() throws
}

/// One line of the list.
struct Choice {
    let name: String
    let portType: AVAudioSession.Port
    let channelCount: Int
    let isCurrent: Bool
}

struct NoSuchDevice: Error, CustomStringConvertible {
    let wanted: String
    var description: String {
        "There is no device \"\(wanted.printable)\" now: give a number or a type of the list, for example: usb."
    }
}
