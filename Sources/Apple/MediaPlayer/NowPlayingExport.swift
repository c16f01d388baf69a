import AudioModel
package import BusObjects
import Foundation
import SessionBus
import Synchronization
import Threading

/// What other programs ask for.
package enum RemoteRequest: Hashable, Sendable {
    case play, pause, togglePlayPause, stop, next, previous
    /// Seconds into the item.
    case position(Double)
    /// Seconds forward, or backward if negative.
    case skip(Double)
    case rate(Double)
    case loop(Mpris.LoopStatus)
    case shuffle(Bool)
}

/// The volume of a program that lets others change it; Apple's media controls have none.
package struct RemoteVolume: Sendable {
    /// 0...1, linear amplitude.
    package var value: Double
    /// Called on the bus's thread.
    package var set: @Sendable (Double) -> Void

    package init(value: Double, set: @escaping @Sendable (Double) -> Void) {
        (self.value, self.set) = (value, set)
    }
}

/// Shows on the user's message bus what plays, as `org.mpris.MediaPlayer2`, and passes on requests of other programs.
///
/// It connects with the first item. Without a bus it shows nothing. Any thread; does not wait.
package final class NowPlayingExport: Sendable {
    package static let shared = NowPlayingExport()

    private static let rates = 0.25...4.0

    private enum Phase {
        /// Nothing has been shown. Legal exits: connecting.
        case idle
        /// Legal exits: connected, unavailable.
        case connecting
        case connected(BusConnection)
        case unavailable
    }

    /// The artwork of the item.
    private enum Picture {
        /// Legal exits: asked.
        case notAsked
        /// A thread asks the app, which may have none. Legal exits: written, notAsked (of another item).
        case asked
        /// Legal exits: notAsked (of another item).
        case written(Artwork)
    }

    private struct State {
        var phase = Phase.idle
        var item: NowPlayingItem?
        var playback = MPNowPlayingPlaybackState.unknown
        /// Of the item, as the bus has it.
        var trackNumber = 0
        var commands = RemoteCommands()
        var volume: RemoteVolume?
        /// The name of the program's .desktop file; nil: there is none.
        var desktopEntry: String?
        var perform: @Sendable (RemoteRequest) -> Void = { _ in }
        var picture = Picture.notAsked

        var isPlaying: Bool { status == .playing }

        var status: Mpris.Status {
            guard let item else { return .stopped }
            return switch playback {
            case .unknown: item.rate > 0 ? .playing : .paused
            case .playing: .playing
            case .paused, .interrupted: .paused
            case .stopped: .stopped
            }
        }

        /// Microseconds.
        var position: Int64 {
            Int64((item?.position(at: monotonicSeconds(), isPlaying: isPlaying) ?? 0) * 1_000_000)
        }

        var trackID: String {
            item == nil ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/openavfaudio/track/\(trackNumber)"
        }
    }

    private let address: String?
    private let name: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - address: of the bus; nil is the user's session bus.
    ///   - program: what desktops call it; nil is the process's name.
    package init(address: String? = nil, program: String? = nil) {
        self.address = address
        name = program ?? ProcessInfo.processInfo.processName
    }

    /// The name on the bus: letters, digits and underscores are allowed.
    package var busName: String {
        let word = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return "\(Mpris.root).\(word.first?.isNumber == true ? "_" : "")\(word).instance\(getpid())"
    }

    // MARK: The app's side

    func show(_ item: NowPlayingItem?, _ playback: MPNowPlayingPlaybackState) {
        change { state in
            let isSame = item.map { state.item?.isSameItem(as: $0) ?? false } ?? (state.item == nil)
            if !isSame { state.trackNumber += 1 }
            if state.item?.artwork !== item?.artwork { state.picture = .notAsked }
            (state.item, state.playback) = (item, playback)
        }
        showPicture()
    }

    /// Asks the app for the picture and writes it, once there is a bus; on a thread of its own, since both may take long.
    private func showPicture() {
        let artwork = state.withLock { state -> MPMediaItemArtwork? in
            guard case .connected = state.phase, case .notAsked = state.picture, let artwork = state.item?.artwork
            else {
                return nil
            }
            state.picture = .asked
            return artwork
        }
        guard let artwork else { return }
        Thread.detachNewThread { [weak self] in
            guard let written = Artwork(artwork) else { return }
            self?.change { if $0.item?.artwork === artwork { $0.picture = .written(written) } }
        }
    }

    func setState(_ playback: MPNowPlayingPlaybackState) {
        change { state in
            // The position stands, or goes on, from here.
            if var item = state.item {
                item.elapsed = item.position(at: monotonicSeconds(), isPlaying: state.isPlaying)
                item.time = monotonicSeconds()
                state.item = item
            }
            state.playback = playback
        }
    }

    func setCommands(_ commands: RemoteCommands) { change { $0.commands = commands } }

    func setHandler(_ perform: @escaping @Sendable (RemoteRequest) -> Void) { change { $0.perform = perform } }

    /// nil, as at first: others cannot change it.
    package func setVolume(_ volume: RemoteVolume?) { change { $0.volume = volume } }

    /// The name of the program's .desktop file without its ending, for its icon; to be set before anything is shown.
    package func setDesktopEntry(_ name: String) { change { $0.desktopEntry = name } }

    /// Sends the properties that differ afterwards to the bus.
    private func change(_ body: (inout State) -> Void) {
        // Kept until the lock is free: the app's objects may go with an artwork.
        var item: NowPlayingItem?
        defer { withExtendedLifetime(item) {} }
        let connects = state.withLock { state -> Bool in
            let (before, position, track) = (Self.properties(state), state.position, state.trackID)
            item = state.item
            body(&state)
            switch state.phase {
            case .idle:
                guard state.item != nil else { return false }
                state.phase = .connecting
                return true
            case .connecting, .unavailable: return false
            case .connected(let bus):
                // Under the lock, so that two changes are sent in their order; the connection only queues them.
                let changed = Self.properties(state).filter { before[$0.key] != $0.value }
                if !changed.isEmpty {
                    bus.emitPropertiesChanged(path: Mpris.path, interface: Mpris.player, changed)
                }
                if track == state.trackID, abs(state.position - position) > 500_000 {
                    bus.emit(
                        path: Mpris.path, interface: Mpris.player, member: "Seeked", [.int64(state.position)])
                }
                return false
            }
        }
        // Loading the bus's library takes some milliseconds.
        if connects { Thread.detachNewThread { [weak self] in self?.connect() } }
    }

    private func connect() {
        do throws(BusConnection.Unavailable) {
            let bus = try BusConnection(address: address)
            bus.export(object)
            bus.requestName(busName)
            // Programs that see the name read all properties then.
            state.withLock { $0.phase = .connected(bus) }
            showPicture()
        } catch {
            state.withLock { $0.phase = .unavailable }
        }
    }

    // MARK: The bus's side

    private var object: BusObject {
        BusObject(path: Mpris.path, interfaces: [rootInterface, playerInterface])
    }

    private var rootInterface: BusInterface {
        let name = name
        func method(_ name: String) -> BusInterface.Method { .init(name) { _ in .success([]) } }
        func no(_ name: String) -> BusInterface.Property { .init(name, "b", get: { .bool(false) }) }
        let entry = state.withLock(\.desktopEntry).map { entry in
            BusInterface.Property("DesktopEntry", "s", get: { .string(entry) })
        }
        return BusInterface(
            name: Mpris.root, methods: [method("Raise"), method("Quit")],
            properties: [entry].compactMap(\.self) + [
                no("CanQuit"), no("CanRaise"), no("HasTrackList"), .init("Identity", "s", get: { .string(name) }),
                .init("SupportedUriSchemes", "as", get: { .strings([]) }),
                .init("SupportedMimeTypes", "as", get: { .strings([]) }),
            ])
    }

    private var playerInterface: BusInterface {
        func method(_ name: String, _ request: RemoteRequest) -> BusInterface.Method {
            .init(name) { [weak self] _ in
                self?.perform(request)
                return .success([])
            }
        }
        let seek = BusInterface.Method("Seek", ["x"]) { [weak self] arguments in
            if let microseconds = arguments.first?.integer { self?.perform(.skip(Double(microseconds) / 1_000_000)) }
            return .success([])
        }
        let setPosition = BusInterface.Method("SetPosition", ["o", "x"]) { [weak self] arguments in
            if let track = arguments.first?.string, let microseconds = arguments.last?.integer {
                self?.setPosition(of: track, seconds: Double(microseconds) / 1_000_000)
            }
            return .success([])
        }
        // WirePlumber, from 0.5.11 on, has players pause when their sink has gone. Whoever plays here hears of that loss from
        // its session, and may go on; a pause of the user's it would not.
        let pause = BusInterface.Method("Pause") { [weak self] sender, _, reply in
            guard let self, case .connected(let bus) = state.withLock({ $0.phase }) else { return reply(.success([])) }
            bus.getProcessName(of: sender) { [weak self] name in
                if name != "wireplumber" { self?.perform(.pause) }
                reply(.success([]))
            }
        }
        let openURI = BusInterface.Method("OpenUri", ["s"]) { _ in
            .failure(.notSupported("this player does not open addresses"))
        }
        return BusInterface(
            name: Mpris.player,
            methods: [
                method("Next", .next), method("Previous", .previous), pause,
                method("PlayPause", .togglePlayPause), method("Stop", .stop), method("Play", .play), seek, setPosition,
                openURI,
            ], properties: playerProperties, signals: ["Seeked": ["x"]])
    }

    private var playerProperties: [BusInterface.Property] {
        let signatures = Self.properties(State()).mapValues(\.signature).sorted { $0.key < $1.key }
        var properties: [BusInterface.Property] = signatures.map { name, signature in
            property(name, signature) { Self.properties($0)[name] ?? .bool(false) }
        }
        properties.append(property("Position", "x") { .int64($0.position) })
        return properties
    }

    private func property(
        _ name: String, _ signature: String, _ value: @escaping @Sendable (State) -> BusValue
    ) -> BusInterface.Property {
        let get: @Sendable () -> BusValue = { [weak self] in value(self?.state.withLock { $0 } ?? State()) }
        let set: (@Sendable (BusValue) -> Result<Void, BusError>)? =
            switch name {
            case "Rate": { [weak self] in self?.setRate($0.double ?? .nan) ?? .success(()) }
            case "Volume": { [weak self] in self?.changeVolume(to: $0.double ?? .nan) ?? .success(()) }
            case "LoopStatus":
                { [weak self] in
                    let request = $0.string.flatMap(Mpris.LoopStatus.init(rawValue:)).map(RemoteRequest.loop)
                    return self?.perform(.loop, request, allowed: "None, Track or Playlist") ?? .success(())
                }
            case "Shuffle":
                { [weak self] in
                    self?.perform(.shuffle, $0.bool.map(RemoteRequest.shuffle), allowed: "a boolean") ?? .success(())
                }
            default: nil
            }
        return BusInterface.Property(name, signature, get: get, set: set)
    }

    /// All properties but the position, for which MPRIS has no signal of changes.
    private static func properties(_ state: State) -> [String: BusValue] {
        func can(_ abilities: RemoteAbility...) -> BusValue {
            .bool(state.item != nil && abilities.contains { state.commands.available.contains($0) })
        }
        let hasRates = state.commands.available.contains(.rate)
        // The rate while it plays: MPRIS has a pause as a status.
        let rate = state.item.map { $0.rate > 0 ? $0.rate : 1 } ?? 1
        var values: [String: BusValue] = ["CanControl": .bool(true), "Metadata": metadata(state)]
        values["PlaybackStatus"] = .string(state.status.rawValue)
        values["Rate"] = .double(rate)
        values["MinimumRate"] = .double(hasRates ? rates.lowerBound : 1)
        values["MaximumRate"] = .double(hasRates ? rates.upperBound : 1)
        values["Volume"] = .double(state.volume?.value ?? 1)
        values["LoopStatus"] = .string(state.commands.loop.rawValue)
        values["Shuffle"] = .bool(state.commands.isShuffled)
        values["CanGoNext"] = can(.next)
        values["CanGoPrevious"] = can(.previous)
        values["CanPlay"] = can(.play, .toggle)
        values["CanPause"] = can(.pause, .toggle)
        values["CanSeek"] = can(.position, .skip)
        return values
    }

    private static func metadata(_ state: State) -> BusValue {
        var values: [String: BusValue] = ["mpris:trackid": .objectPath(state.trackID)]
        guard let item = state.item else { return .properties(values) }
        func text(_ name: String, _ key: String) {
            if let text = item.texts[key]?.printable { values[name] = .string(text) }
        }
        func list(_ name: String, _ key: String) {
            if let text = item.texts[key]?.printable { values[name] = .strings([text]) }
        }
        text("xesam:title", MPMediaItemPropertyTitle)
        list("xesam:artist", MPMediaItemPropertyArtist)
        text("xesam:album", MPMediaItemPropertyAlbumTitle)
        list("xesam:albumArtist", MPMediaItemPropertyAlbumArtist)
        list("xesam:genre", MPMediaItemPropertyGenre)
        list("xesam:composer", MPMediaItemPropertyComposer)
        values["xesam:trackNumber"] = item.numbers[MPMediaItemPropertyAlbumTrackNumber].map { .int32($0) }
        values["xesam:discNumber"] = item.numbers[MPMediaItemPropertyDiscNumber].map { .int32($0) }
        values["mpris:length"] = item.duration.map { .int64(Int64($0 * 1_000_000)) }
        values["xesam:url"] = item.url.map { .string($0.printable) }
        if case .written(let artwork) = state.picture { values["mpris:artUrl"] = .string(artwork.url) }
        return .properties(values)
    }

    // MARK: Requests

    private func perform(_ request: RemoteRequest) { state.withLock(\.perform)(request) }

    /// - Parameters:
    ///   - request: nil for a value that MPRIS does not have.
    ///   - values: that it has.
    private func perform(
        _ ability: RemoteAbility, _ request: RemoteRequest?, allowed values: String
    ) -> Result<Void, BusError> {
        guard state.withLock({ $0.commands.available.contains(ability) }) else {
            return .failure(.notSupported("this player does not change it"))
        }
        guard let request else { return .failure(.invalidArguments("the value must be \(values)")) }
        perform(request)
        return .success(())
    }

    /// A request for an item that has ended is dropped.
    private func setPosition(of track: String, seconds: Double) {
        let isCurrent = state.withLock { state in
            track == state.trackID && seconds >= 0 && seconds <= state.item?.duration ?? .infinity
        }
        if isCurrent { perform(.position(seconds)) }
    }

    private func setRate(_ rate: Double) -> Result<Void, BusError> {
        guard rate >= 0, rate.isFinite else {
            return .failure(.invalidArguments("\(rate) is no rate: it must be 0, which pauses, or above"))
        }
        // MPRIS: a rate of 0 is a pause.
        perform(rate == 0 ? .pause : .rate(min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)))
        return .success(())
    }

    private func changeVolume(to value: Double) -> Result<Void, BusError> {
        guard let volume = state.withLock(\.volume) else {
            return .failure(.notSupported("this program sets no volume"))
        }
        guard value.isFinite else { return .failure(.invalidArguments("\(value) is no volume: it must be 0 to 1")) }
        volume.set(min(max(value, 0), 1))
        return .success(())
    }

    /// The position now, in seconds.
    var position: Double { Double(state.withLock(\.position)) / 1_000_000 }
    var duration: Double? { state.withLock { $0.item?.duration } }
    var isPlaying: Bool { state.withLock(\.isPlaying) }
}

/// What others can ask for, because the app has a handler for it.
enum RemoteAbility: Hashable, Sendable {
    case play, pause, toggle, stop, next, previous, position, skip, rate, loop, shuffle
}

/// What `MPRemoteCommandCenter` has.
struct RemoteCommands: Sendable {
    var available: Set<RemoteAbility> = []
    var loop = Mpris.LoopStatus.none
    var isShuffled = false
}

/// A picture as a file, which goes with this value.
final class Artwork: Sendable {
    private let file: URL

    var url: String { file.absoluteString }

    /// nil where it cannot be written.
    init?(_ artwork: MPMediaItemArtwork) {
        let data = artwork.imageData(at: artwork.bounds.size)
        let directory =
            ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? FileManager.default.temporaryDirectory.path
        file = URL(fileURLWithPath: directory).appendingPathComponent("open-avfaudio-\(UUID().uuidString)")
        guard !data.isEmpty, (try? data.write(to: file)) != nil else { return nil }
    }

    deinit { try? FileManager.default.removeItem(at: file) }
}
