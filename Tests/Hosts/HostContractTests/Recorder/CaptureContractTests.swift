import AudioModel
import CRealtime
import EngineCore
import Foundation
import HostInterface
import HostPipeWire
import HostSimulated
import PipeWireRig
import SimulatedControls
import Synchronization
import Testing
import Threading

/// What both hosts promise of input streams, without a session.
@Suite(.serialized) struct CaptureContractTests {
    /// 0.1 s of a tone arrive as they were played: each frame once, in order, unchanged, and silence after them.
    @Test(arguments: WorldKind.allCases)
    func samples_arriveExactly(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        try world.makeMicrophone("mic", channels: ["FL", "FR"])
        let recorder = try Recorder(world.host, channels: 2)
        defer { recorder.close() }
        try recorder.stream.link(to: ["mic"])
        recorder.stream.start()
        try recorder.wait(frames: 2400, in: world)
        // Who does not come to run in a cycle, on a busy machine, does not capture it, or is not captured: once more.
        var heard: [[Float]]?
        for _ in 1...20 where heard == nil {
            recorder.forget()
            world.mark()
            world.play(into: "mic", frames: 4800)
            try recorder.wait(loudFrames: 1, quietAfter: 9600, in: world)
            if recorder.isWithoutGaps && !world.hasLostCycles { heard = recorder.samples }
        }
        let tones = try #require(heard, "in each of 20 recordings a cycle was lost").drop { $0 == [0, 0] }
        #expect(Array(tones.prefix(4801)) == (0..<4800).map { toneFrame($0, channels: 2) } + [[0, 0]])
        #expect(recorder.lostFrames == 0)
        #expect(recorder.stream.latencyFrames > 0)
    }

    @Test(arguments: WorldKind.allCases)
    func unplug_endsTheCapture(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        try world.makeMicrophone("other", channels: ["FL", "FR"])
        try world.makeMicrophone("mic", channels: ["FL", "FR"])
        let recorder = try Recorder(world.host, channels: 2)
        defer { recorder.close() }
        try recorder.stream.link(to: ["mic"])
        recorder.stream.start()
        world.play(into: "mic", frames: nil)
        world.play(into: "other", frames: nil)
        try recorder.wait(loudFrames: 2400, quietAfter: 0, in: world)
        try world.unplug("mic")
        try world.waitForEvent { $0.isSilence(of: recorder.stream.id, lostPortUID: "mic") }
        // A cycle that was under way has ended.
        try world.passTime(seconds: 0.05)
        let count = recorder.capturedFrames
        try world.passTime(seconds: 0.2)
        // Nothing more, and above all nothing of the microphone that is left.
        #expect(recorder.capturedFrames == count)
        #expect(throws: HostError.noSuchPort(uid: "mic")) { try recorder.stream.link(to: ["mic"]) }
        try recorder.stream.link(to: ["other"])
        try recorder.wait(frames: 2400, in: world)
    }

    /// A program that plays is not heard by one that records, not even where there is no microphone at all.
    @Test(arguments: WorldKind.allCases)
    func speakersMonitor_isNeverRecorded(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        try world.makeSpeaker("speaker")
        let recorder = try Recorder(world.host, channels: 2)
        defer { recorder.close() }
        #expect(world.inventory.inputs == [])
        #expect(world.inventory.defaultInputUID == nil)
        #expect(throws: HostError.noSuchPort(uid: "speaker")) { try recorder.stream.link(to: ["speaker"]) }
        recorder.stream.start()
        try world.passTime(seconds: 0.2)
        #expect(recorder.capturedFrames == 0)
    }

    @Test(arguments: WorldKind.allCases)
    func twoInputs_areChannelsInTheOrderAskedFor(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        try world.makeMicrophone("first", channels: ["MONO"])
        try world.makeMicrophone("second", channels: ["FL", "FR"])
        let recorder = try Recorder(world.host, channels: 3)
        defer { recorder.close() }
        recorder.stream.start()
        try recorder.stream.link(to: ["first", "second"])
        try recorder.wait(frames: 2400, in: world)
        world.play(into: "first", frames: nil)
        try recorder.wait(loudFrames: 2400, quietAfter: 0, in: world)
        #expect(recorder.loudChannels == [true, false, false])
        try recorder.stream.link(to: ["second", "first"])
        recorder.forget()
        try recorder.wait(loudFrames: 2400, quietAfter: 0, in: world)
        #expect(recorder.loudChannels == [false, false, true])
    }

    /// The microphone of a card stays as a node; its jack says that nothing is in it any more.
    @Test(arguments: WorldKind.allCases)
    func route_thatBecomesUnavailable_endsTheCapture(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        let uid = try world.makeCardMicrophone()
        let recorder = try Recorder(world.host, channels: 2)
        defer { recorder.close() }
        try recorder.stream.link(to: [uid])
        recorder.stream.start()
        try recorder.wait(loudFrames: 2400, quietAfter: 0, in: world)
        world.pullOutCardMicrophone()
        try world.waitForEvent { $0.isSilence(of: recorder.stream.id, lostPortUID: uid) }
        try world.passTime(until: "an inventory without it") { world.inventory.port(uid: uid) == nil }
        let count = recorder.capturedFrames
        try world.passTime(seconds: 0.2)
        #expect(recorder.capturedFrames == count)
    }

    @Test(arguments: WorldKind.allCases)
    func stopAndStart_captureAgain(kind: WorldKind) throws {
        let world = try makeCaptureWorld(kind)
        defer { world.end() }
        try world.makeMicrophone("mic", channels: ["FL", "FR"])
        let recorder = try Recorder(world.host, channels: 2)
        defer { recorder.close() }
        try recorder.stream.link(to: ["mic"])
        for _ in 0..<3 {
            recorder.stream.start()
            try recorder.wait(frames: Int(recorder.capturedFrames) + 1024, in: world)
            recorder.stream.stop()
            let count = recorder.capturedFrames
            try world.passTime(seconds: 0.05)
            #expect(recorder.capturedFrames == count)
        }
    }
}

/// Frame n of what a microphone is played: what the rig's tone is, 1000 Hz at 48 kHz.
private func toneFrame(_ frame: Int, channels: Int) -> [Float] {
    let phase = Double(frame) * (2 * Double.pi * 1000 / 48_000)
    if channels == 1 { return [sin(phase) >= 0 ? 0.5 : -0.5] }
    return (0..<channels).map { 0.5 * Float($0 % 2 == 0 ? sin(phase) : cos(phase)) }
}

/// A running input stream's frames, as they have arrived.
private final class Recorder {
    let stream: any HostStream
    private let feed: CaptureFeed
    private(set) var samples: [[Float]] = []
    /// Every cycle since `forget` began where the one before it ended.
    private(set) var isWithoutGaps = true
    /// Of the newest cycle, on the host's clock, in nanoseconds.
    private var end: UInt64?

    init(_ host: any AudioHost, channels: Int) throws {
        feed = CaptureFeed(channels: channels, maximumFrames: 8192, sampleRate: 48_000, seconds: 10)
        stream = try host.openStream(
            StreamConfiguration(
                id: StreamID(number: 1), direction: .input, title: "recorder", sampleRate: 48_000,
                renderer: feed.renderer))
    }

    /// Of all cycles, lost ones too.
    var capturedFrames: Int64 {
        drain()
        return nextSampleTime
    }
    private var nextSampleTime: Int64 = 0
    private(set) var lostFrames: Int64 = 0
    var loudChannels: [Bool] { (0..<feed.channels).map { channel in samples.contains { $0[channel] != 0 } } }

    /// What was captured until now, be it read or not.
    func forget() {
        drain()
        samples = []
        isWithoutGaps = true
    }

    func wait(frames: Int, in world: any CaptureWorld) throws {
        try world.passTime(until: "\(frames) frames") {
            drain()
            return nextSampleTime >= frames
        }
    }

    func wait(loudFrames: Int, quietAfter: Int, in world: any CaptureWorld) throws {
        try world.passTime(until: "\(loudFrames) loud frames") {
            drain()
            guard samples.count(where: Self.isLoud) >= loudFrames else { return false }
            return samples.suffix(quietAfter).allSatisfy { !Self.isLoud($0) }
        }
    }

    func close() { stream.close() }

    private static func isLoud(_ frame: [Float]) -> Bool { frame.contains { $0 != 0 } }

    private func drain() {
        feed.drain { block, frames in
            let length = UInt64(block.frames) * 1_000_000_000 / 48_000
            let begin = block.hostTimeNanoseconds
            lostFrames += block.sampleTime - nextSampleTime
            nextSampleTime = block.sampleTime + Int64(block.frames)
            // Half a cycle: the clock's times are rounded.
            if let end, max(begin, end) - min(begin, end) > length / 2 { isWithoutGaps = false }
            end = begin + length
            for frame in 0..<block.frames {
                samples.append(Array(frames[frame * feed.channels..<(frame + 1) * feed.channels]))
            }
        }
    }
}

/// Microphones and a host that hears them.
private protocol CaptureWorld: AnyObject {
    var host: any AudioHost { get }
    var events: Monitor<[HostEvent]> { get }
    func makeMicrophone(_ uid: String, channels: [String]) throws
    func makeSpeaker(_ uid: String) throws
    /// One that picks up a tone without end; returns its port's uid.
    func makeCardMicrophone() throws -> String
    func pullOutCardMicrophone()
    /// From now on the microphone picks up so many frames of a tone, then silence; nil for no end.
    func play(into uid: String, frames: Int?)
    func unplug(_ uid: String) throws
    func passTime(seconds: Double) throws
    /// From now on it is noted whether what plays into microphones comes to run in every cycle.
    func mark()
    var hasLostCycles: Bool { get }
    func end()
}

extension CaptureWorld {
    var inventory: Inventory {
        for event in events.withLock({ $0 }).reversed() {
            if case .inventoryChanged(let inventory, losses: _) = event { return inventory }
        }
        return .empty
    }

    func passTime(until what: String, _ condition: () -> Bool) throws {
        // 10 s of the host's time: more than any of these takes on a busy machine.
        for _ in 0..<500 {
            if condition() { return }
            try passTime(seconds: 0.02)
        }
        throw CaptureTimedOut(what: what, events: events.withLock { $0 })
    }

    func waitForEvent(_ matches: (HostEvent) -> Bool) throws {
        try passTime(until: "an event") { events.withLock { $0 }.contains(where: matches) }
    }
}

extension HostEvent {
    fileprivate func isSilence(of id: StreamID, lostPortUID uid: String) -> Bool {
        if case .inventoryChanged(_, let losses) = self { losses.contains(PortLoss(id, portUID: uid)) } else { false }
    }
}

private struct CaptureTimedOut: Error {
    var what: String
    var events: [HostEvent]
}

private func makeCaptureWorld(_ kind: WorldKind) throws -> any CaptureWorld {
    switch kind {
    case .simulated: try SimulatedCaptureWorld()
    case .pipeWire: try PipeWireCaptureWorld()
    }
}

private final class SimulatedCaptureWorld: CaptureWorld {
    let simulated = SimulatedHost(.bare)
    let events = Monitor<[HostEvent]>([])
    private var microphones: [String: SimulatedDevice] = [:]
    var host: any AudioHost { simulated }

    init() throws {
        try simulated.start { [events] event in events.withLock { $0.append(event) } }
    }

    func makeMicrophone(_ uid: String, channels: [String]) {
        let device = SimulatedDevice.input(uid: uid, name: uid, kind: .usbAudio, channels: channels.count)
        microphones[uid] = device
        simulated.plug(device)
    }

    func makeSpeaker(_ uid: String) {
        simulated.plug(SimulatedDevice.output(uid: uid, name: uid, kind: .builtInSpeaker))
    }

    func makeCardMicrophone() -> String {
        makeMicrophone("card", channels: ["FL", "FR"])
        play(into: "card", frames: nil)
        return "card"
    }

    func pullOutCardMicrophone() { simulated.reportAvailability(of: "card", .unavailable) }

    func play(into uid: String, frames: Int?) {
        let channels = microphones[uid]?.inputs.first?.channels.count ?? 1
        let start = simulated.frame
        simulated.setInput(of: uid) { frame, channel in
            frame - start >= frames ?? .max ? 0 : toneFrame(frame - start, channels: channels)[channel]
        }
    }

    func unplug(_ uid: String) { simulated.unplug(uid: uid) }
    func passTime(seconds: Double) { simulated.advance(seconds: seconds) }
    func mark() {}
    var hasLostCycles: Bool { false }

    func end() {
        simulated.shutdown()
        // The tests name ports that have gone, or are none, on purpose.
        let faults = simulated.violations.filter { !$0.hasPrefix("link of stream 1 names") }
        #expect(faults == [])
    }
}

private final class PipeWireCaptureWorld: CaptureWorld {
    let server: PrivatePipeWire
    let pipeWire: PipeWireHost
    let events = Monitor<[HostEvent]>([])
    private var sources: [String: VirtualSource] = [:]
    private var sinks: [VirtualSink] = []
    private var tone: ToneGenerator?
    private var card: VirtualCard?
    var host: any AudioHost { pipeWire }

    init() throws {
        server = try PrivatePipeWire.start()
        pipeWire = PipeWireHost(remote: server.socketPath)
        try pipeWire.start { [events] event in events.withLock { $0.append(event) } }
    }

    /// A sink comes first, as on any machine: it is what drives the rig's microphones, and its default proves that the
    /// session manager is at work, without which they would wait for their ports.
    private func makeFirstSink() throws {
        guard sinks.isEmpty else { return }
        sinks.append(try server.makeSink(name: "quiet", bus: "pci"))
        try server.waitUntilDefaultSink(is: "quiet")
    }

    func makeMicrophone(_ uid: String, channels: [String]) throws {
        try makeFirstSink()
        sources[uid] = try server.makeSource(name: uid, bus: "usb", channels: channels)
        try passTime(until: "the microphone \(uid)") { inventory.port(uid: uid) != nil }
    }

    /// It plays, so that its monitor would be loud.
    func makeSpeaker(_ uid: String) throws {
        let sink = try server.makeSink(name: uid, formFactor: "speaker", bus: "pci")
        sinks.append(sink)
        let music = try server.makeTone(routing: .linked(to: uid))
        music.play(frames: nil)
        tone = music
        try sink.meter.wait(loudFrames: 4800)
        try passTime(until: "the speaker \(uid)") { inventory.port(uid: uid) != nil }
    }

    func makeCardMicrophone() throws -> String {
        try makeFirstSink()
        var configuration = VirtualCard.Configuration()
        configuration.microphone = .yes
        let card = try server.makeCard(configuration)
        self.card = card
        card.playIntoMicrophone(frames: nil)
        try passTime(until: "the card's microphone") { !inventory.inputs.isEmpty }
        return inventory.inputs[0].uid
    }

    func pullOutCardMicrophone() { card?.setAvailability(of: .microphone, to: .no) }

    func play(into uid: String, frames: Int?) { sources[uid]?.play(frames: frames) }
    func unplug(_ uid: String) { sources.removeValue(forKey: uid)?.destroy() }
    /// The meters' clock is the server's.
    func passTime(seconds: Double) throws {
        let meter = try #require(sinks.first?.meter)
        try meter.wait(frames: meter.reading.frames + Int(seconds * 48_000))
    }
    func mark() { for sink in sinks { sink.meter.mark() } }
    /// One thread of the rig's serves its meters and its microphones.
    var hasLostCycles: Bool { sinks.contains { $0.meter.reading.missedFrames > 0 } }

    func end() {
        pipeWire.shutdown()
        server.stop()
    }
}
