import AudioModel
import OpenAudioSession
import SessionCore
import SessionRuntime
import Testing

/// A machine that a test controls: the simulated one, or a private PipeWire.
protocol World: AnyObject, Sendable {
    /// The program that most tests look at.
    var app: App { get }

    func plug(_ device: WorldDevice) async throws
    func unplug(_ device: WorldDevice) async throws
    /// The user picks another default output in the desktop's settings.
    func setDefaultOutput(_ device: WorldDevice) async throws
    /// No program names the default output any more.
    func clearDefault() async throws
    /// A card with speaker and headphones on one sink; the headphones are in.
    func plugCardWithJack() async throws
    func pullJack() async throws
    /// A Bluetooth headset with A2DP and HFP, in A2DP; it becomes the default output.
    func plugHeadset() async throws
    /// Returns when the headset is in this profile.
    func untilHeadset(is profile: Headset.Profile) async throws
    /// Waits until sound reaches the headset, in whichever profile.
    func untilHeardOnHeadset() async throws
    /// The hardware of the device that plays changes its rate.
    func changeSampleRate(to hertz: Double) async throws

    /// Something outside stops the one stream that plays, although its port is there.
    func hold(_ hold: StreamHold) async throws
    /// Something outside gives the stream back.
    func release(_ hold: StreamHold) async throws

    // MARK: Other programs

    /// Starts another program with a session of its own; returns when it has told its first inventory.
    ///
    /// - Parameter recorders: see what the session does, besides the app's journal.
    func launch(_ name: String, recorders: [any SessionRecorder]) async throws -> App
    /// Ends a program without giving it the time for a word.
    func kill(_ app: App) async throws
    /// A program begins to play that knows nothing of sessions; returns when all apps know of it.
    ///
    /// - Parameter role: its `media.role`.
    /// - Returns: what `stopForeignStream` takes.
    func startForeignStream(role: String) async throws -> UInt64
    /// The same, at volume 0.
    func startSilentForeignStream(role: String) async throws -> UInt64
    /// A person mutes it in a mixer, or lets it be heard; returns when all apps know.
    func setForeignStreamSilent(_ isSilent: Bool, _ id: UInt64) async throws
    /// A guard has it stand still, or go on; returns when all apps know.
    func setForeignStreamHeld(_ isHeld: Bool, _ id: UInt64) async throws
    /// Returns when all apps know that it has gone.
    func stopForeignStream(_ id: UInt64) async throws

    // MARK: Media services

    /// The server dies; returns when all apps know.
    func crashServer() async throws
    /// The server is back with the devices it had, but for this one; returns when all apps know.
    func restartServer(without absent: WorldDevice?) async throws

    // MARK: Time and sound

    /// Lets the music play for a while.
    func run(seconds: Double) async throws
    /// Frames above -60 dBFS that reached the device since `mark`.
    func loudFrames(on device: WorldDevice) async throws -> Int
    /// Starts the count on every device again.
    func mark() async throws
    /// Waits until sound reaches the device.
    func untilHeard(on device: WorldDevice) async throws
    /// The highest sample that reaches the device in the next while, once all fades are over.
    func level(on device: WorldDevice) async throws -> Float
    /// What reaches each of the devices from now on, [device][channel][frame]: at least so many frames and not one missed.
    ///
    /// It marks again. What a busy machine keeps from running is not heard: such a recording is made again.
    ///
    /// - Parameter change: done when all devices are heard; on a busy machine more than once.
    func record(
        _ devices: [WorldDevice], frames: Int, during change: () throws -> Void
    ) async throws -> [[[Float]]]
    /// What reaches the device in 0.1 s, once all fades are over: [channel][frame].
    func samples(on device: WorldDevice) async throws -> [[Float]]
    /// Returns when every app has dealt with all that has happened so far, and with what the others made of it.
    func settle() async throws
    /// A microphone picks up a tone of 1000 Hz at half of full scale from now on.
    func speak(into device: WorldDevice) async throws

    func end() async
}

/// The devices of the contract, as a person would name them.
enum WorldDevice: String, Sendable, CaseIterable {
    case speaker, headphones, bluetooth, usb, hdmi, microphone, headsetMicrophone
    /// A second HDMI output, an audio interface of four channels, and one loudspeaker on a line.
    case television, interface, monitor
    /// The two directions of a Bluetooth headset in calls.
    case handsFree, handsFreeMicrophone

    var isInput: Bool { self == .microphone || self == .headsetMicrophone || self == .handsFreeMicrophone }

    var kind: PortKind {
        switch self {
        case .speaker: .builtInSpeaker
        case .headphones: .headphones
        case .bluetooth: .bluetoothA2DP
        case .usb, .interface: .usbAudio
        case .hdmi, .television: .hdmi
        case .monitor: .lineOut
        case .microphone: .builtInMic
        case .headsetMicrophone: .headsetMic
        case .handsFree, .handsFreeMicrophone: .bluetoothHFP
        }
    }
}

/// How something outside stops a stream.
enum StreamHold: Sendable {
    /// A session manager's policy pauses its node.
    case pausedNode
    /// Its links to the device are cut; a link to the device gives it back.
    case cutLinks(WorldDevice)
}

enum WorldKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case simulated, pipeWire
    var testDescription: String { rawValue }
}

/// Runs `body` in a new world in which the devices have been plugged in, one after the other; the last is the default.
///
/// The journal is empty when `body` begins.
///
/// - Parameter category: the app's, not active yet.
func withWorld(
    _ kind: WorldKind, plugged devices: [WorldDevice], category: AVAudioSession.Category = .soloAmbient,
    _ body: (any World) async throws -> Void
) async throws {
    let world: any World =
        switch kind {
        case .simulated: try SimulatedWorld()
        case .pipeWire: try PipeWireWorld()
        }
    do {
        for device in devices { try await world.plug(device) }
        if let last = devices.last(where: { !$0.isInput }) { try await world.waitForRoute(last) }
        try world.session.setCategory(category)
        // Nothing of the plugging is on its way any more.
        try await world.settle()
        world.app.startAfresh()
        try await body(world)
    } catch {
        await world.end()
        throw error
    }
    await world.end()
}
