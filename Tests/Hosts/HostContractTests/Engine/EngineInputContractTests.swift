import AudioModel
import Foundation
import SessionRest
import Synchronization
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What an engine captures of the session's input, on the simulated host and on a private PipeWire.
@Suite("Engine input contract", .serialized)
struct EngineInputContractTests {
    /// What a tap has heard.
    private final class Listener: Sendable {
        struct Heard: Sendable {
            var buffers = 0
            var rates: Set<Double> = []
            /// The highest sample of each channel in the newest buffer.
            var peaks: [Float] = []
            var isInOrder = true
            var next: Int64?
        }

        private let stored = Mutex(Heard())
        var heard: Heard { stored.withLock { $0 } }

        init(_ node: AVAudioNode) {
            node.installTap(onBus: 0, bufferSize: 4800, format: nil) { [weak self] buffer, time in
                self?.note(buffer, time)
            }
        }

        private func note(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
            guard let planes = buffer.floatChannelData else { return }
            let frames = Int(buffer.frameLength)
            stored.withLock {
                $0.buffers += 1
                $0.rates.insert(buffer.format.sampleRate)
                $0.peaks = (0..<Int(buffer.format.channelCount)).map { channel in
                    (0..<frames).reduce(0) { max($0, abs(planes[channel][$1])) }
                }
                if let next = $0.next, next != time.sampleTime { $0.isInOrder = false }
                $0.next = time.sampleTime + Int64(frames)
            }
        }
    }

    private func engine(in world: any World) -> AVAudioEngine {
        AVAudioSession.$taskSession.withValue(world.session) { AVAudioEngine() }
    }

    /// The tone's crest is one of its frames, and samples pass unchanged.
    private func isTone(_ peaks: [Float]) -> Bool { !peaks.isEmpty && peaks.allSatisfy { $0 == 0.5 } }

    @Test(arguments: WorldKind.allCases)
    func tapOnTheInput_hearsTheMicrophone_withoutAnOutput(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .record) { world in
            let engine = engine(in: world)
            let format = engine.inputNode.inputFormat(forBus: 0)
            #expect(format.sampleRate == 48_000)
            #expect(Int(format.channelCount) == world.runtime.state.route.inputs.first?.channels.count)
            let listener = Listener(engine.inputNode)
            try engine.start()
            #expect(engine.isRunning)
            #expect(world.runtime.state.streams.map(\.policy.direction) == [.input])
            try await world.until { listener.heard.buffers > 2 }
            #expect(listener.heard.peaks == [Float](repeating: 0, count: Int(format.channelCount)))
            try await world.speak(into: .microphone)
            try await world.until { isTone(listener.heard.peaks) }
            let heard = listener.heard
            #expect(heard.peaks.count == Int(format.channelCount))
            #expect(heard.rates == [48_000])
            #expect(heard.isInOrder)
            engine.stop()
            #expect(world.runtime.state.streams.isEmpty)
            // A tap that was being called has returned.
            world.runtime.drain()
            let count = listener.heard.buffers
            try await world.run(seconds: 0.3)
            #expect(listener.heard.buffers == count)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func inputMapSizeIsWantedChannels(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .record) { world in
            let engine = engine(in: world)
            let map: [Int32] = [-1, 0, -1]
            let unit = try #require(engine.inputNode.audioUnit)
            #expect(
                AudioUnitSetProperty(unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Input, 1, map, 12)
                    == noErr)
            #expect(engine.inputNode.outputFormat(forBus: 0).channelCount == 3)
            let listener = Listener(engine.inputNode)
            try engine.start()
            try await world.speak(into: .microphone)
            try await world.until { listener.heard.peaks == [0, 0.5, 0] }
            #expect(listener.heard.rates == [48_000])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func input_connectedToTheOutput_isHeardThere(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let engine = engine(in: world)
            engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
            try engine.start()
            try await world.speak(into: .microphone)
            try await world.untilHeard(on: .speaker)
            let input = try #require(engine.inputNode.core.source as? InputNodeController)
            try await world.until { input.sharesCycles }
            #expect(try await world.level(on: .speaker) == 0.5)
            #expect(input.sharesCycles)
            engine.inputNode.volume = 0
            try await world.fadeOut()
            try await world.mark()
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(engine.isRunning)
        }
    }

    /// Issue 22: the loss of the input does not stop the output.
    @Test(arguments: WorldKind.allCases)
    func onlyMicrophoneThatLeaves_letsTheOutputPlayOn(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let engine = engine(in: world)
            let listener = Listener(engine.inputNode)
            let played = Counter()
            let sound = AVAudioSourceNode { _, _, frames, buffers in
                played.add(Int(frames))
                for buffer in UnsafeMutableAudioBufferListPointer(buffers) {
                    let samples = buffer.mData?.assumingMemoryBound(to: Float.self)
                    for frame in 0..<Int(frames) { samples?[frame] = 0.5 }
                }
                return noErr
            }
            engine.attach(sound)
            engine.connect(sound, to: engine.mainMixerNode, format: nil)
            let changes = ConfigurationChanges(of: engine)
            try engine.start()
            try await world.until { listener.heard.buffers > 1 }
            try await world.unplug(.microphone)
            try await world.settle()
            #expect(engine.isRunning)
            let loud = try await world.loudFrames(on: .speaker)
            let before = played.value
            try await world.until { played.value > before + 9600 }
            let loudSince = try await world.loudFrames(on: .speaker) - loud
            #expect(loudSince > 0)
            try await world.plug(.microphone)
            try await world.speak(into: .microphone)
            try engine.start()
            try await world.until { isTone(listener.heard.peaks) }
            #expect(changes.count == 0)
        }
    }

    /// One clock drives both, and still each is there without the other.
    @Test(arguments: WorldKind.allCases)
    func microphoneThatLeaves_whoseHeirHasItsFormat_leavesTheOutputPlaying(_ kind: WorldKind) async throws {
        let plugged = [WorldDevice.speaker, .microphone, .headsetMicrophone]
        try await withWorld(kind, plugged: plugged, category: .playAndRecord) { world in
            let engine = engine(in: world)
            let player = try world.addPlayer(to: engine, looping: .level(0.25))
            let sound = AVAudioMixerNode()
            engine.attach(sound)
            engine.connect(engine.inputNode, to: sound, format: nil)
            engine.connect(sound, to: engine.mainMixerNode, format: nil)
            let listener = Listener(engine.inputNode)
            let changes = ConfigurationChanges(of: engine)
            try engine.start()
            player.play()
            try await world.untilHeard(on: .speaker)
            try await world.until { listener.heard.buffers > 1 }
            let used = world.runtime.state.route.inputs.first?.kind
            let (lost, heir): (WorldDevice, WorldDevice) =
                used == .headsetMic ? (.headsetMicrophone, .microphone) : (.microphone, .headsetMicrophone)
            try await world.unplug(lost)
            #expect(engine.isRunning && player.isPlaying)
            #expect(try await world.level(on: .speaker) == 0.25)
            try await world.speak(into: heir)
            try await world.until { isTone(listener.heard.peaks) }
            #expect(try await world.level(on: .speaker) == 0.75)
            #expect(changes.count == 0)
            let input = try #require(engine.inputNode.core.source as? InputNodeController)
            #expect(input.sharesCycles)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func outputThatLeaves_leavesTheInputRunning(_ kind: WorldKind) async throws {
        let plugged = [WorldDevice.speaker, .headphones, .microphone]
        try await withWorld(kind, plugged: plugged, category: .playAndRecord) { world in
            let engine = engine(in: world)
            engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
            let counter = Counter()
            let sink = AVAudioSinkNode { _, frames, _ in
                counter.add(Int(frames))
                return noErr
            }
            engine.attach(sink)
            engine.connect(
                engine.inputNode,
                to: [
                    AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0),
                    AVAudioConnectionPoint(node: sink, bus: 0),
                ], fromBus: 0, format: nil)
            try world.session.setActive(true)
            try engine.start()
            try await world.speak(into: .microphone)
            try await world.untilHeard(on: .headphones)
            try await world.unplug(.headphones)
            let count = counter.value
            try await world.until { counter.value > count + 9600 }
            #expect(engine.isRunning)
            // The output is the speaker now: the app starts its engine there.
            try engine.start()
            try await world.untilHeard(on: .speaker)
            let input = try #require(engine.inputNode.core.source as? InputNodeController)
            try await world.until { input.sharesCycles }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func sink_receivesTheMicrophone(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .record) { world in
            let engine = engine(in: world)
            let counter = Counter()
            let sink = AVAudioSinkNode { _, frames, list in
                let samples = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Float.self)
                counter.add((0..<Int(frames)).count { samples?[$0] ?? 0 != 0 })
                return noErr
            }
            engine.attach(sink)
            engine.connect(engine.inputNode, to: sink, format: nil)
            try engine.start()
            #expect(sink.isCalledInRenderCycle)
            try await world.speak(into: .microphone)
            try await world.until { counter.value > 4800 }
        }
    }

    /// On the input's clock: there is no output.
    @Test(arguments: WorldKind.allCases)
    func effect_betweenTheMicrophoneAndASinkAndATap_isHeard(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .record) { world in
            let engine = engine(in: world)
            let (effect, counter) = (AVAudioUnitEQ(numberOfBands: 1), Counter())
            effect.globalGain = -20
            let sink = AVAudioSinkNode { _, frames, list in
                let samples = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Float.self)
                counter.add(
                    (0..<Int(frames)).count {
                        let level = abs(samples?[$0] ?? 0)
                        return level > 0.01 && level <= 0.051
                    })
                return noErr
            }
            engine.attach(effect)
            engine.attach(sink)
            engine.connect(engine.inputNode, to: effect, format: nil)
            engine.connect(effect, to: sink, format: engine.inputNode.outputFormat(forBus: 0))
            let listener = Listener(effect)
            try engine.start()
            #expect(sink.isCalledInRenderCycle)
            try await world.speak(into: .microphone)
            try await world.until { counter.value > 4800 }
            try await world.until { listener.heard.peaks.last.map { abs($0 - 0.05) < 0.002 } ?? false }
            #expect(listener.heard.isInOrder)
        }
    }

    // Behaviour 94
    @Test(arguments: WorldKind.allCases)
    func tapOnUnconnectedMixerHears(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let engine = engine(in: world)
            let mixer = AVAudioMixerNode()
            engine.attach(mixer)
            engine.connect(engine.inputNode, to: mixer, format: nil)
            let listener = Listener(mixer)
            try engine.start()
            try await world.speak(into: .microphone)
            // What leaves a mixer that leads nowhere has 44.1 kHz, so that the crest may be between two frames.
            try await world.until {
                !listener.heard.peaks.isEmpty && listener.heard.peaks.allSatisfy { abs($0 - 0.5) < 0.01 }
            }
            #expect(listener.heard.isInOrder)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func microphoneThatLeaves_stopsTheEngineOnce(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .record) { world in
            let engine = engine(in: world)
            let listener = Listener(engine.inputNode)
            let changes = ConfigurationChanges(of: engine)
            try engine.start()
            try await world.until { listener.heard.buffers > 1 }
            try await world.unplug(.microphone)
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 1)
            #expect(engine.inputNode.inputFormat(forBus: 0).channelCount == 0)
            #expect(throws: NSError.self) { try engine.start() }
            try await world.plug(.microphone)
            #expect(!engine.isRunning)
            try engine.start()
            try await world.speak(into: .microphone)
            try await world.until { isTone(listener.heard.peaks) }
            #expect(changes.count == 1)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func microphoneThatLeaves_whoseHeirHasItsFormat_isFollowed(_ kind: WorldKind) async throws {
        let plugged = [WorldDevice.speaker, .microphone, .headsetMicrophone]
        try await withWorld(kind, plugged: plugged, category: .record) { world in
            let engine = engine(in: world)
            let listener = Listener(engine.inputNode)
            let changes = ConfigurationChanges(of: engine)
            try engine.start()
            try await world.until { listener.heard.buffers > 1 }
            let used = world.runtime.state.route.inputs.first?.kind
            let (lost, heir): (WorldDevice, WorldDevice) =
                used == .headsetMic ? (.headsetMicrophone, .microphone) : (.microphone, .headsetMicrophone)
            // Only the one that takes over is spoken into.
            try await world.speak(into: heir)
            try await world.unplug(lost)
            try await world.until { isTone(listener.heard.peaks) }
            #expect(engine.isRunning)
            #expect(changes.count == 0)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func preferredInput_isTheOneThatIsHeard(_ kind: WorldKind) async throws {
        let plugged = [WorldDevice.speaker, .microphone, .headsetMicrophone]
        try await withWorld(kind, plugged: plugged, category: .record) { world in
            let session = world.session
            let used = try #require(session.currentRoute.inputs.first)
            let other = try #require(session.availableInputs?.first { $0 != used })
            let engine = engine(in: world)
            let listener = Listener(engine.inputNode)
            try session.setPreferredInput(other)
            #expect(session.currentRoute.inputs == [other])
            try engine.start()
            try await world.speak(into: other.portType == .headsetMic ? .headsetMicrophone : .microphone)
            try await world.until { isTone(listener.heard.peaks) }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func category_thatDoesNotRecord_letsNoInputEngineStart(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playback) { world in
            let engine = engine(in: world)
            #expect(engine.inputNode.inputFormat(forBus: 0).channelCount == 0)
            let error = #expect(throws: NSError.self) { try engine.start() }
            #expect(error?.code == AVAudioSession.ErrorCode.incompatibleCategory.rawValue)
            try world.session.setCategory(.record)
            try engine.start()
            #expect(engine.isRunning)
        }
    }

    private final class Counter: Sendable {
        private let stored = Atomic<Int>(0)
        var value: Int { stored.load(ordering: .acquiring) }
        func add(_ count: Int) { stored.add(count, ordering: .acquiringAndReleasing) }
    }
}
