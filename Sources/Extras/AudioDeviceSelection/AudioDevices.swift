internal import AudioModel
public import Foundation
public import OpenAVFAudio
public import OpenAudioSession
internal import SessionCore
internal import SessionRuntime
internal import Synchronization

/// The available outputs and the chosen one, for a device picker.
///
/// ```swift
/// let devices = AudioDevices()
/// devices.steer(engine)
/// try devices.select(portType: .HDMI)
/// for await outputs in devices.updates { show(outputs, chosen: devices.current) }
/// ```
///
/// The choice belongs to the session: everything that follows the session uses the chosen output; in category `multiRoute`,
/// the engines that were passed to ``steer(_:)``. The choice remains while the chosen device is away, and applies again when
/// it returns. Meanwhile the sound uses the output that it would use without a choice, in `multiRoute` the first device of
/// the route. Players pause when the device in use leaves, as usual. If the user moves the app to another device in a mixer,
/// that ends the choice; the later of the two applies. The choice ends with the program.
///
/// Several instances may exist; they show the same values. All members may be called on any thread. The `select` functions
/// wait for the session; reading does not wait.
///
/// Source: ours (decision 0010).
public final class AudioDevices: Sendable {
    private let session: AVAudioSession

    /// The devices of a session; the default is the program's, which the first use connects to the sound server.
    public init(session: AVAudioSession = .sharedInstance()) { self.session = session }

    // MARK: Devices

    /// The outputs that can be chosen now, best first.
    ///
    /// Empty in a category that does not play.
    ///
    /// In `multiRoute` they are the outputs of the route, in its order.
    public var all: [AudioDevice] { session.runtime.state.usableOutputs.map(AudioDevice.init) }

    /// The outputs in use now: the chosen device, or its replacement while it is away.
    ///
    /// In `multiRoute` without a choice, all devices of the route.
    public var current: [AudioDevice] { session.runtime.state.currentOutputs.map(AudioDevice.init) }

    /// ``all`` now, and again after each change of ``all`` or ``current``.
    ///
    /// A slow reader gets only the newest value.
    ///
    /// Each access creates a new stream. The stream ends with the session, which in an app never ends.
    public var updates: AsyncStream<[AudioDevice]> {
        let runtime = session.runtime
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let sent = Mutex<SentOutputs?>(nil)
            let watch = runtime.watch { state in
                guard let state else { return continuation.finish() }
                let new = SentOutputs(state)
                let isNew = sent.withLock { sent in
                    defer { sent = new }
                    return sent != new
                }
                if isNew { continuation.yield(state.usableOutputs.map(AudioDevice.init)) }
            }
            continuation.onTermination = { _ in runtime.endWatch(watch) }
        }
    }

    // MARK: Choosing

    /// The app's choice of an output.
    public enum Choice: Hashable, Sendable {
        /// The user, the category and the machine determine the output.
        case automatic
        /// This device, whenever it is available.
        case device(uid: String)
        /// The first device of this type in the order of ``AudioDevices/all``, evaluated at each change.
        case portType(AVAudioSession.Port)
    }

    /// The latest choice; automatic after the user has moved the app in a mixer.
    public var choice: Choice {
        switch session.runtime.state.appChoice {
        case .automatic: .automatic
        case .port(let uid): .device(uid: uid)
        case .kind(let kind): .portType(AVAudioSession.Port(kind))
        }
    }

    /// Selects this device.
    ///
    /// - Throws: the same as ``select(uid:)``.
    public func select(_ device: AudioDevice) throws { try select(uid: device.uid) }

    /// Selects the device with this uid.
    ///
    /// Current playback moves to it.
    ///
    /// - Throws: `NSError` in `NSOSStatusErrorDomain`, without any change: `resourceNotAvailable` if no such device is
    ///   available or the category cannot use it; the message lists the available devices. `incompatibleCategory` in a
    ///   category that does not play. `mediaServicesFailed` without a sound server.
    public func select(uid: String) throws { try choose(.port(uid: uid)) }

    /// Selects the first device of this type.
    ///
    /// - Throws: the same as ``select(uid:)``; `badParam` for a type that does not exist.
    public func select(portType: AVAudioSession.Port) throws {
        guard let kind = PortKind.allCases.first(where: { AVAudioSession.Port($0) == portType }) else {
            throw NSError(
                SessionError(
                    .badParam,
                    "\"\(portType.rawValue.printable)\" is not a type of output. Use a constant of AVAudioSession.Port."
                ))
        }
        try choose(.kind(kind))
    }

    /// Removes the choice, and also the user's choice in a mixer.
    public func selectAutomatic() {
        // Fails only for a session that has ended, which has no output.
        try? choose(.automatic)
    }

    private func choose(_ choice: OutputChoice) throws {
        do { try session.runtime.perform { call, _ in .outputChosenByApp(call, choice) } } catch {
            throw NSError(error)
        }
    }

    // MARK: multiRoute

    /// Keeps the engine on the chosen device from now on.
    ///
    /// In `multiRoute` this sets the channel map of the engine's output. At each change of the route or the choice, the new
    /// map is set before the new route plays. (The app still has to handle the other effects of a route change on an
    /// engine: for example, it stops when the number of channels changes.) In other categories the whole stream moves, and
    /// the map is the default. Setting the map yourself ends this. The engine is not retained. The effect continues after
    /// this object is released.
    public func steer(_ engine: AVAudioEngine) { engine.followOutputChoice() }

    /// The map that ``steer(_:)`` sets for a stereo source, for example `[-1, -1, 0, 1]`, for apps that set the map.
    ///
    /// Nil outside `multiRoute` and without an output.
    public var channelMap: [NSNumber]? {
        session.runtime.state.channelTarget?.channelMap(sourceChannels: 2).map { NSNumber(value: $0) }
    }
}

/// The outputs that a reader of `updates` received last.
private struct SentOutputs: Equatable {
    private let usable: [AudioModel.Port]
    private let current: [AudioModel.Port]

    init(_ state: SessionState) {
        usable = state.usableOutputs.map(\.withoutSampleRate)
        current = state.currentOutputs.map(\.withoutSampleRate)
    }
}

extension AudioModel.Port {
    /// The rate may change while the device stays the same.
    fileprivate var withoutSampleRate: Self {
        var port = self
        port.sampleRate = nil
        return port
    }
}

extension SessionState {
    /// The outputs in use: under `multiRoute` the chosen output or its replacement; without a choice, all of the route.
    fileprivate var currentOutputs: [AudioModel.Port] {
        let outputs = derived.route.outputs
        let isChosen = requested.output != .byApp(.automatic)
        guard requested.configuration.category == .multiRoute, isChosen else { return outputs }
        return (chosenOutput ?? outputs.first).map { [$0] } ?? []
    }
}
