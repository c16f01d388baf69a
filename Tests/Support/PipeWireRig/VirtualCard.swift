import CRig

/// A sound card with a jack: one sink that a speaker and headphones share, and one source; or a Bluetooth headset.
///
/// The session manager moves the route, as for a real card. Sendable because the C side locks in every call.
package final class VirtualCard: @unchecked Sendable {
    package enum Route: Int, Sendable, CaseIterable {
        case speaker, headphones, microphone

        var value: oav_rig_route { oav_rig_route(UInt32(rawValue)) }
    }

    package enum Profile: UInt32, Sendable {
        case off
        /// Of a headset, A2DP.
        case on
        case handsFree
    }

    package enum Availability: Int, Sendable {
        case unknown, no, yes

        var value: oav_rig_availability { oav_rig_availability(UInt32(rawValue)) }
    }

    package struct Configuration: Sendable {
        /// alsa_card.NAME, alsa_output.NAME.analog-stereo, alsa_input.NAME.analog-stereo.
        package var name = "virtual-0"
        package var speaker = Availability.yes
        package var headphones = Availability.yes
        package var microphone = Availability.unknown
        /// As ACP's path files do it: the speaker is "no" while the headphones are in, "unknown" while they are out.
        package var speakerFollowsJack = false
        /// As ACP with auto-port does; else the session manager moves the route.
        package var movesRouteItself = false
        /// What the hardware has taken and still emits after a change of route.
        package var ringFrames = 0

        /// A card of BlueZ with the profiles A2DP and HFP, whose routes are `headphones` and `microphone`.
        package var isHeadset = false
        /// Of a headset: its microphone is there in both profiles, as the loopback that WirePlumber 0.5 makes.
        package var hasLoopback = false

        /// The arrays of its routes name elements of 2,000 bytes, as no honest card's do.
        package var liesAboutSizes = false

        package init() {}

        package static var headset: Configuration {
            var configuration = Configuration()
            configuration.isHeadset = true
            return configuration
        }

        /// The card as ACP presents an internal one with its headphones in.
        package static var likeACP: Configuration {
            var configuration = Configuration()
            configuration.speaker = .no
            configuration.speakerFollowsJack = true
            return configuration
        }
    }

    /// What the card emitted since the mark.
    package struct Reading: Sendable {
        package let markedAtNanoseconds: UInt64
        /// All frames seen, silent ones too: proof that the count was alive.
        package let frames: Int
        /// Loud frames that the speaker, and the headphones, emitted while their route was active and not muted.
        package let speakerFrames: Int
        package let headphonesFrames: Int
        package let speakerFirstLoudAtNanoseconds: UInt64?
        package let speakerLastLoudAtNanoseconds: UInt64?
        /// Loud frames that a muted route swallowed.
        package let mutedFrames: Int
        package let missedFrames: Int
    }

    package let name: String
    private let rig: PrivatePipeWire  // kept alive: without it the server ends
    private let connection: RigConnection
    private let pointer: OpaquePointer
    private let isHeadset: Bool
    private let hasLoopback: Bool
    private let timeout: Duration

    init(
        rig: PrivatePipeWire, connection: RigConnection, pointer: OpaquePointer, name: String, isHeadset: Bool,
        hasLoopback: Bool, timeout: Duration
    ) {
        self.isHeadset = isHeadset
        self.hasLoopback = hasLoopback
        self.rig = rig
        self.connection = connection
        self.pointer = pointer
        self.name = name
        self.timeout = timeout
    }

    package var deviceName: String { (isHeadset ? "bluez_card." : "alsa_card.") + name }
    package var sinkName: String { isHeadset ? "bluez_output.\(name).1" : "alsa_output.\(name).analog-stereo" }
    package var sourceName: String {
        isHeadset ? "bluez_input.\(name)\(hasLoopback ? "" : ".0")" : "alsa_input.\(name).analog-stereo"
    }
    package var deviceID: UInt32 { oav_rig_card_device_id(pointer) }

    // MARK: The hand on the card

    /// Pulls the headphones out, after a mark.
    ///
    /// Returns the time just before, CLOCK_MONOTONIC in nanoseconds.
    @discardableResult
    package func unplugHeadphones() -> UInt64 {
        oav_rig_card_plug(pointer, false)
    }

    /// Plugs the headphones in, after a mark.
    ///
    /// Returns the time just before, CLOCK_MONOTONIC in nanoseconds.
    @discardableResult
    package func plugHeadphones() -> UInt64 {
        oav_rig_card_plug(pointer, true)
    }

    package func setAvailability(of route: Route, to availability: Availability) {
        oav_rig_card_set_availability(pointer, route.value, availability.value)
    }

    /// After the first change of the routes in `body`, answers no question about them until it ends, as a busy machine.
    ///
    /// The rig's loop stands still after the change, so that `body` must not use the rig any more.
    package func holdingAnswers(_ body: () throws -> Void) rethrows {
        oav_rig_card_hold_answers(pointer, true)
        defer { oav_rig_card_hold_answers(pointer, false) }
        try body()
    }

    package func setMuted(_ muted: Bool, _ route: Route) {
        oav_rig_card_set_mute(pointer, route.value, muted)
    }

    /// What the microphone picks up from the next cycle on: so many frames of tone; nil for no end.
    package func playIntoMicrophone(frames: Int?) {
        oav_rig_card_play_into_microphone(pointer, frames.map(UInt64.init) ?? .max)
    }

    /// As a program for settings does.
    package func setProfile(_ profile: Profile) {
        oav_rig_card_set_profile(pointer, oav_rig_profile(profile.rawValue))
    }

    /// Takes the whole card away, nodes first, as a pulled USB plug does, after a mark.
    @discardableResult
    package func remove() -> UInt64 {
        oav_rig_card_destroy(pointer)
    }

    // MARK: What came of it

    /// Begins to count again and returns the time.
    @discardableResult
    package func mark() -> UInt64 {
        oav_rig_card_mark(pointer)
    }

    package var reading: Reading {
        let reading = rawReading
        let isLoud = reading.loud_frames.0 > 0
        return Reading(
            markedAtNanoseconds: reading.marked_at, frames: Int(reading.frames),
            speakerFrames: Int(reading.loud_frames.0), headphonesFrames: Int(reading.loud_frames.1),
            speakerFirstLoudAtNanoseconds: isLoud ? reading.first_loud_at.0 : nil,
            speakerLastLoudAtNanoseconds: isLoud ? reading.last_loud_at.0 : nil,
            mutedFrames: Int(reading.muted_loud_frames), missedFrames: Int(reading.missed_frames))
    }

    package var speakerFrames: Int { reading.speakerFrames }
    package var headphonesFrames: Int { reading.headphonesFrames }

    /// The output that the card plays to now; nil while its profile is off.
    package var activeOutput: Route? { Route(rawValue: Int(rawReading.active_output)) }

    package var profile: Profile? { Profile(rawValue: rawReading.profile.rawValue) }

    package func waitForProfile(_ wanted: Profile) throws(RigError) {
        try connection.waitUntil(
            "\(deviceName) is \(wanted)", timeout: timeout,
            seen: { "It was \(profile.map { "\($0)" } ?? "nothing")." }, predicate: { profile == wanted })
    }

    /// Waits until the session manager has moved the card's output.
    package func waitUntilActive(_ route: Route) throws(RigError) {
        try connection.waitUntil(
            "\(deviceName) plays to its \(route)", timeout: timeout,
            seen: { "It played to \(activeOutput.map { "its \($0)" } ?? "nothing")." },
            predicate: { activeOutput == route })
    }

    /// Waits until so many frames were seen since the mark.
    @discardableResult
    package func wait(frames: Int) throws(RigError) -> Reading {
        let result = oav_rig_card_wait_for_frames(pointer, UInt64(frames), timeout.nanoseconds)
        try RigError.check(result, "\(sinkName) plays \(frames) frames", timeout: timeout)
        return reading
    }

    private var rawReading: oav_rig_card_reading {
        var reading = oav_rig_card_reading()
        oav_rig_card_read(pointer, &reading)
        return reading
    }
}
