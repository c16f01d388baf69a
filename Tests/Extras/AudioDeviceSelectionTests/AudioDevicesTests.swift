import AudioDeviceSelection
import AudioModel
import Foundation
import HostSimulated
import SessionRest
import SimulatedControls
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// A picker on a simulated machine; what it does to sound on both hosts is for `DeviceSelectionContractTests`.
@Suite(.timeLimit(.minutes(30)))
struct AudioDevicesTests {
    private let host: SimulatedHost
    private let runtime: SessionRuntime
    private let session: AVAudioSession
    private let devices: AudioDevices

    private static let speaker = SimulatedDevice.builtInSpeaker
    private static let headphones = SimulatedDevice.wiredHeadphones
    private static let hdmi = SimulatedDevice.hdmi

    init() throws {
        host = SimulatedHost(.bare)
        runtime = try SessionRuntime(host: host)
        session = AVAudioSession(runtime: runtime)
        for device in [Self.speaker, Self.hdmi, Self.headphones] { host.plug(device) }
        try session.setCategory(.playback)
        runtime.drain()
        devices = AudioDevices(session: session)
    }

    private func plug(_ device: SimulatedDevice) {
        host.plug(device)
        runtime.drain()
    }

    private func unplug(_ device: SimulatedDevice) {
        host.unplug(device)
        runtime.drain()
    }

    private func engine() -> AVAudioEngine {
        AVAudioSession.$taskSession.withValue(session) {
            let engine = AVAudioEngine()
            _ = engine.mainMixerNode
            return engine
        }
    }

    private func map(_ engine: AVAudioEngine) -> [Int]? { engine.outputNode.auAudioUnit.channelMap?.map(\.intValue) }

    // MARK: The list

    @Test func devices_areTheOutputsOfTheMachine() throws {
        #expect(devices.all.map(\.uid).sorted() == [Self.hdmi, Self.headphones, Self.speaker].map(\.uid).sorted())
        let hdmi: AudioDevice = try #require(devices.all.first { $0.id == Self.hdmi.uid })
        #expect(hdmi.name == Self.hdmi.name)
        #expect(hdmi.portType == .HDMI)
        #expect(hdmi.channelCount == 8)
        #expect(devices.current.map(\.uid) == [Self.headphones.uid])
        try session.setCategory(.record)
        #expect(devices.all == [])
        #expect(devices.current == [])
    }

    @Test func devices_whileMultiRoute_areTheRoutes() throws {
        try session.setCategory(.multiRoute)
        #expect(devices.all.map(\.uid) == session.currentRoute.outputs.map(\.uid))
        #expect(devices.current == devices.all)
    }

    @Test func device_isEqualByItsUID() throws {
        let before = try #require(devices.all.first { $0.uid == Self.headphones.uid })
        unplug(Self.headphones)
        plug(.output(uid: Self.headphones.uid, name: "Better Headphones", kind: .headphones, channels: 4))
        let after = try #require(devices.all.first { $0.uid == Self.headphones.uid })
        #expect(before == after)
        #expect(Set([before, after]).count == 1)
        #expect(after.name == "Better Headphones")
        #expect(after.channelCount == 4)
    }

    @Test func updates_tellEachChangeOfTheListAndOfTheChoice() async throws {
        var updates = devices.updates.makeAsyncIterator()
        func next() async -> Set<String>? { (await updates.next()).map { Set($0.map(\.uid)) } }
        let first: Set = [Self.speaker.uid, Self.hdmi.uid, Self.headphones.uid]
        #expect(await next() == first)
        // The route stays.
        try devices.select(uid: Self.headphones.uid)
        plug(.bluetoothA2DP)
        #expect(await next() == first.union([SimulatedDevice.bluetoothA2DP.uid]))
        #expect(devices.current.map(\.uid) == [Self.headphones.uid])
        try devices.select(portType: .HDMI)
        #expect(await next()?.count == 4)
        // A change that concerns no output gives no value.
        try session.setCategory(.playback, mode: .moviePlayback)
        plug(.builtInMic)
        unplug(Self.speaker)
        #expect(await next()?.contains(Self.speaker.uid) == false)
        runtime.shutdown()
        #expect(await next() == nil)
        var late = devices.updates.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func updates_forASlowReader_areTheNewestAlone() async throws {
        let updates = devices.updates
        for _ in 0..<3 {
            plug(.bluetoothA2DP)
            unplug(.bluetoothA2DP)
        }
        unplug(Self.hdmi)
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next()?.count == 2)
        runtime.shutdown()
        #expect(await iterator.next() == nil)
    }

    // MARK: The choice

    @Test func choice_isWhatWasSelectedLast_whoeverAsks() throws {
        let other = AudioDevices(session: session)
        #expect(devices.choice == .automatic)
        try devices.select(try #require(devices.all.first { $0.uid == Self.speaker.uid }))
        #expect(other.choice == .device(uid: Self.speaker.uid))
        #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
        try other.select(portType: .HDMI)
        #expect(devices.choice == .portType(.HDMI))
        devices.selectAutomatic()
        #expect(other.choice == .automatic)
        #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
    }

    @Test func selection_ofWhatIsNotThere_throwsAndNamesWhatIs() throws {
        try devices.select(uid: Self.speaker.uid)
        let refusals: [(AVAudioSession.ErrorCode, String, () throws -> Void)] = [
            (.resourceNotAvailable, "\"nowhere\"", { try devices.select(uid: "nowhere") }),
            (.resourceNotAvailable, "usbAudio", { try devices.select(portType: .usbAudio) }),
            (.badParam, "\"Gramophone\"", { try devices.select(portType: .init(rawValue: "Gramophone")) }),
        ]
        for (code, word, select) in refusals {
            let error = try #require(throws: NSError.self) { try select() }
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == code.rawValue)
            #expect(error.localizedDescription.contains(word))
            if code == .resourceNotAvailable { #expect(error.localizedDescription.contains(Self.hdmi.uid)) }
            #expect(devices.choice == .device(uid: Self.speaker.uid))
        }
    }

    @Test func choiceInAMixer_takesTheAppsAway_andTheOtherWayRound() throws {
        try devices.select(uid: Self.speaker.uid)
        host.chooseOutput(Self.hdmi.uid)
        runtime.drain()
        #expect(devices.choice == .automatic)
        #expect(devices.current.map(\.uid) == [Self.hdmi.uid])
        try devices.select(uid: Self.speaker.uid)
        #expect(devices.current.map(\.uid) == [Self.speaker.uid])
    }

    // MARK: Engines

    @Test func steeredEngine_followsCategoryAndChoice_withoutAnObject() throws {
        let engine = engine()
        do {
            let short = AudioDevices(session: session)
            short.steer(engine)
        }
        let plain = map(engine)
        try session.setCategory(.multiRoute)
        let order = devices.all.map(\.uid)
        #expect(Set(order) == [Self.hdmi.uid, Self.headphones.uid])
        #expect(map(engine) == [0, 1] + Array(repeating: -1, count: 8))
        try devices.select(uid: order[1])
        let offset = devices.all[0].channelCount
        let expected = (0..<10).map { $0 == offset ? 0 : $0 == offset + 1 ? 1 : -1 }
        #expect(map(engine) == expected)
        #expect(devices.channelMap?.map(\.intValue) == expected)
        // Also by a mixer.
        host.chooseOutput(order[0])
        runtime.drain()
        #expect(map(engine) == [0, 1] + Array(repeating: -1, count: 8))
        try session.setCategory(.playback)
        #expect(devices.channelMap == nil)
        #expect(map(engine)?.count == devices.current.first?.channelCount)
        devices.selectAutomatic()
        #expect(map(engine) == plain)
    }

    @Test func steeredEngine_namesOnlyChannelsOfItsSource() throws {
        try session.setCategory(.multiRoute)
        let engine = engine()
        devices.steer(engine)
        let device = try #require(devices.all.last)
        try devices.select(device)
        let mono = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        engine.connect(engine.mainMixerNode, to: engine.outputNode, format: mono)
        let offset = 10 - device.channelCount
        #expect(map(engine) == (0..<10).map { [offset, offset + 1].contains($0) ? 0 : -1 })
        try engine.start()
        engine.stop()
    }

    @Test func mapSetByHand_endsTheSteering() throws {
        try session.setCategory(.multiRoute)
        let engine = engine()
        devices.steer(engine)
        let own = [NSNumber](repeating: 1, count: 10)
        engine.outputNode.auAudioUnit.channelMap = own
        try devices.select(try #require(devices.all.last))
        #expect(engine.outputNode.auAudioUnit.channelMap == own)
        // One that is not taken does not end it.
        devices.steer(engine)
        engine.outputNode.auAudioUnit.channelMap = [0]
        #expect(engine.outputNode.auAudioUnit.channelMap == devices.channelMap)
    }

    @Test func manualRendering_ofASteeredEngine_hasTheDefaultMap() throws {
        try session.setCategory(.multiRoute)
        let engine = engine()
        devices.steer(engine)
        try devices.select(try #require(devices.all.last))
        let steered = map(engine)
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_DiscreteInOrder | 10))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 480)
        #expect(map(engine) == Array(0..<10))
        #expect(map(engine) != steered)
        engine.disableManualRenderingMode()
        #expect(map(engine) == steered)
    }

    @Test func picker_doesNotKeepTheEngine() {
        weak var gone: AVAudioEngine?
        do {
            let engine = engine()
            gone = engine
            devices.steer(engine)
        }
        #expect(gone == nil)
    }
}
