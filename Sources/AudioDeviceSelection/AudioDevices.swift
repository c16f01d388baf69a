internal import AudioModel
public import Foundation
public import OpenAVFAudio
internal import SessionCore

/// The outputs that can be chosen, and the one that is: what a device picker shows and does.
///
/// ```swift
/// let devices = AudioDevices()
/// devices.steer(engine)
/// try devices.select(portType: .HDMI)
/// for await outputs in devices.updates { show(outputs, chosen: devices.current) }
/// ```
///
/// The choice is the session's: all that follows the session goes there, in category `multiRoute` the engines that are
/// steered. It stays while the chosen device is away and holds again when that comes back; meanwhile sound goes where it
/// would without a choice, under `multiRoute` to the first device of the route. Players pause when the device in use
/// leaves, as ever. Who moves the app to another device in a mixer takes the choice away; the newest of the two counts.
/// It ends with the program.
///
/// Any number of instances may be made; they show the same. Any thread may call everything; what selects waits for the
/// session, what reads waits for nobody.
///
/// Source: ours (decision 0010).
public final class AudioDevices: Sendable {
    private let session: AVAudioSession

    public init(session: AVAudioSession = .sharedInstance()) { self.session = session }

    // MARK: What there is

    /// The outputs that can be chosen now, best first; empty in a category that does not play.
    ///
    /// Under `multiRoute` they are the outputs of the route, in its order.
    public var all: [AudioDevice] { session.process.state.usableOutputs.map(AudioDevice.init) }

    /// Where the sound goes now: the chosen device, or what takes its place while that is away.
    ///
    /// Under `multiRoute`, as long as nobody has chosen, all devices of the route.
    public var current: [AudioDevice] { session.process.state.currentOutputs.map(AudioDevice.init) }

    /// ``all`` as it is now, and anew after each change of it or of ``current``; for a slow reader the newest only.
    ///
    /// Each access makes a stream of its own. It ends with the session, which for an app means never.
    public var updates: AsyncStream<[AudioDevice]> {
        let process = session.process
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let newest = NewestOutputs()
            let watch = process.watch { state in
                guard let state else { return continuation.finish() }
                if newest.isNews(state) { continuation.yield(state.usableOutputs.map(AudioDevice.init)) }
            }
            continuation.onTermination = { _ in process.endWatch(watch) }
        }
    }

    // MARK: Choosing

    /// What the app wants of the output.
    public enum Choice: Hashable, Sendable {
        /// What the user, the category and the machine say.
        case automatic
        /// That device whenever it is there.
        case device(uid: String)
        /// The first of that type in the order of ``AudioDevices/all``, whichever that is now.
        case portType(AVAudioSession.Port)
    }

    /// What was selected last; automatic also after the user has moved the app in a mixer.
    public var choice: Choice {
        switch session.process.state.appChoice {
        case .automatic: .automatic
        case .port(let uid): .device(uid: uid)
        case .kind(let kind): .portType(AVAudioSession.Port(kind))
        }
    }

    /// - Throws: as ``select(uid:)``.
    public func select(_ device: AudioDevice) throws { try select(uid: device.uid) }

    /// Sends the sound to that device; what sounds moves over.
    ///
    /// - Throws: `NSError` in `NSOSStatusErrorDomain`, and then nothing has changed: `resourceNotAvailable` when no such
    ///   device is there or the category can not use it, with those that can be chosen; `incompatibleCategory` in a
    ///   category that does not play; `mediaServicesFailed` without a sound server.
    public func select(uid: String) throws { try choose(.port(uid: uid)) }

    /// Sends the sound to the first device of that type.
    ///
    /// - Throws: as ``select(uid:)``; `badParam` for a type that does not exist.
    public func select(portType: AVAudioSession.Port) throws {
        guard let kind = PortKind.allCases.first(where: { AVAudioSession.Port($0) == portType }) else {
            throw NSError(
                SessionError(
                    .badParam,
                    "\"\(portType.rawValue.printable)\" is no type of an output. Use a constant of AVAudioSession.Port."
                ))
        }
        try choose(.kind(kind))
    }

    /// Takes the choice back, the user's in a mixer with it.
    public func selectAutomatic() {
        // Refused only by a session that has ended, which sends sound nowhere.
        try? choose(.automatic)
    }

    private func choose(_ choice: OutputChoice) throws {
        do { try session.process.perform { call, _ in .outputChosenByApp(call, choice) } } catch {
            throw NSError(error)
        }
    }

    // MARK: multiRoute

    /// Has the engine sound on the chosen device, from now on.
    ///
    /// Under `multiRoute` its output's channel map points there; at each change of the route or the choice a new map is
    /// there before anything of the new route sounds. (What else a change of the route does to an engine, above all that
    /// it stops when the number of channels changes, is for the app to follow as ever.) In other categories the whole
    /// stream moves, and the map is the default. To set the map by hand ends it. The engine is not retained, and is
    /// steered on when this object is gone.
    public func steer(_ engine: AVAudioEngine) { engine.followOutputChoice() }

    /// What ``steer(_:)`` sets for a stereo source, for those who set the map themselves: `[-1, -1, 0, 1]`, say.
    ///
    /// Nil outside `multiRoute` and without an output.
    public var channelMap: [NSNumber]? {
        session.process.state.channelTarget?.channelMap(sourceChannels: 2).map { NSNumber(value: $0) }
    }
}
