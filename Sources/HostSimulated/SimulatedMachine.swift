/// What a machine has built in.
package struct SimulatedMachine: Hashable, Sendable {
    /// Best first: the first output and the first input are the defaults while nothing is plugged in.
    package var builtIn: [SimulatedDevice]

    package init(builtIn: [SimulatedDevice]) { self.builtIn = builtIn }

    /// Speaker, receiver and microphone.
    package static let phone = SimulatedMachine(builtIn: [.builtInSpeaker, .builtInReceiver, .builtInMic])
    /// Line out and microphone.
    package static let desktop = SimulatedMachine(builtIn: [.lineOut, .builtInMic])
    /// A card with loudspeaker and jack in one sink, and a microphone.
    package static let laptop = SimulatedMachine(builtIn: [.cardWithJack, .builtInMic])
    /// A speaker alone.
    package static let speaker = SimulatedMachine(builtIn: [.builtInSpeaker])
    /// Nothing at all, as in a container.
    package static let bare = SimulatedMachine(builtIn: [])
}
