import AudioModel
import OpenAVFAudio
import SessionCore
import Testing

/// A machine whose plugs a test holds in its hands: the simulated one, or a private PipeWire.
protocol World: AnyObject, Sendable {
    var process: AudioProcess { get }
    var session: AVAudioSession { get }
    var journal: Journal { get }
    var music: Music { get }

    func plug(_ device: WorldDevice) async throws
    func unplug(_ device: WorldDevice) async throws
    /// The user picks another default output in the desktop's settings.
    func setDefaultOutput(_ device: WorldDevice) async throws
    /// The default output is no longer named by anybody.
    func clearDefault() async throws
    /// A card with speaker and headphones on one sink; the headphones are in.
    func plugCardWithJack() async throws
    func pullJack() async throws
    /// The hardware of the device that plays changes its rate.
    func changeSampleRate(to hertz: Double) async throws

    /// Something outside, a session manager's policy, stops the one stream that plays although its port is there.
    func holdMusic() async throws
    /// It lets go of the stream.
    func releaseMusic() async throws

    /// Lets the music play for a while.
    func run(seconds: Double) async throws
    /// Frames above -60 dBFS that reached the device since `mark`.
    func loudFrames(on device: WorldDevice) async throws -> Int
    /// Starts counting on every device anew.
    func mark() async throws
    /// Waits until sound reaches the device.
    func untilHeard(on device: WorldDevice) async throws

    func end() async
}

/// The devices of the contract, as a person would name them.
enum WorldDevice: String, Sendable, CaseIterable {
    case speaker, headphones, bluetooth, usb, hdmi, microphone, headsetMicrophone

    var isInput: Bool { self == .microphone || self == .headsetMicrophone }

    var kind: PortKind {
        switch self {
        case .speaker: .builtInSpeaker
        case .headphones: .headphones
        case .bluetooth: .bluetoothA2DP
        case .usb: .usbAudio
        case .hdmi: .hdmi
        case .microphone: .builtInMic
        case .headsetMicrophone: .headsetMic
        }
    }
}

enum WorldKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case simulated, pipeWire
    var testDescription: String { rawValue }
}

/// Runs `body` in a new world in which the devices have been plugged in, one after the other; the last is the default.
///
/// The journal is empty when `body` begins.
func withWorld(
    _ kind: WorldKind, plugged devices: [WorldDevice], _ body: (any World) async throws -> Void
) async throws {
    let journal = Journal()
    let world: any World =
        switch kind {
        case .simulated: try SimulatedWorld(journal: journal)
        case .pipeWire: try PipeWireWorld(journal: journal)
        }
    do {
        for device in devices { try await world.plug(device) }
        if let last = devices.last(where: { !$0.isInput }) {
            try await journal.wait(for: "\(last) as the route") { _ in
                world.session.currentRoute.outputs.map(\.uid).isEmpty == false
                    && world.process.state.route.outputs.first?.kind == last.kind
            }
        }
        world.process.settle()
        journal.clear()
        try await body(world)
    } catch {
        await world.end()
        throw error
    }
    await world.end()
}
