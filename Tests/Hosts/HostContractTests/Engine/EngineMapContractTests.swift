import AudioModel
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// Which channel of an engine sounds on which channel of which device, on the simulated host and on a private PipeWire:
/// sample by sample at the devices.
@Suite("Engine map contract", .serialized)
struct EngineMapContractTests {
    /// Headphones and an interface of four channels, in this order, and an engine that plays a stereo loop.
    private func withEngine(
        _ kind: WorldKind, plugged devices: [WorldDevice] = [.headphones, .interface],
        _ body: (any World, AVAudioEngine) async throws -> Void
    ) async throws {
        try await withMultiRoute(kind, plugged: devices) { world in
            let (engine, _) = try world.startEngine(looping: NumberedLoop.buffer())
            try await body(world, engine)
        }
    }

    // Behaviour 70: by default it sounds on the first two channels.
    @Test(arguments: WorldKind.allCases, [[WorldDevice.hdmi, .headphones], [.headphones, .interface]])
    func multiRouteSumsChannels(_ kind: WorldKind, _ devices: [WorldDevice]) async throws {
        try await withEngine(kind, plugged: devices) { world, engine in
            #expect(world.session.currentRoute.outputs.map(\.portType) == devices.map { AVAudioSession.Port($0.kind) })
            let sum = devices == [.hdmi, .headphones] ? 10 : 6
            #expect(engine.outputChannels == sum)
            #expect(engine.mainMixerNode.outputFormat(forBus: 0).channelCount == UInt32(sum))
            let expected = [0, 1] + [Int](repeating: -1, count: sum - 2)
            #expect(engine.map == expected)
            try await world.expectHeard(expected, on: devices)
        }
    }

    // Behaviour 73
    @Test(arguments: WorldKind.allCases)
    func mapSteersToDevice(_ kind: WorldKind) async throws {
        try await withEngine(kind) { world, engine in
            for map in [
                [-1, -1, 0, 1, -1, -1], [1, 0, -1, -1, -1, -1], [1, -1, -1, 0, 0, 1], [-1, -1, -1, -1, -1, -1],
            ] {
                engine.map = map
                #expect(engine.map == map)
                try await world.expectHeard(map, on: [.headphones, .interface])
                #expect(engine.isRunning)
            }
            #expect(engine.setMapProperty([-1, -1, -1, -1, 0, 1]) == noErr)
            try await world.expectHeard([-1, -1, -1, -1, 0, 1], on: [.headphones, .interface])
            engine.map = nil
            #expect(engine.map == [0, 1, -1, -1, -1, -1])
            try await world.expectHeard([0, 1, -1, -1, -1, -1], on: [.headphones, .interface])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func map_changedWhilePlaying_slidesWithoutAClick(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones, .interface]) { world in
            let (engine, _) = try world.startEngine(looping: .level(0.5))
            #expect(try await world.level(on: .headphones) == 0.5)
            let maps = [[0, 1, -1, -1, -1, -1], [-1, -1, 0, 1, -1, -1]]
            var isSecond = false
            let heard = try await world.record([.headphones, .interface], frames: 9600) {
                isSecond.toggle()
                engine.map = maps[isSecond ? 1 : 0]
            }
            let (first, second) = (heard[0][0], heard[1][0])
            for samples in [first, second] {
                // Half of full scale within 5 ms, on a straight line; a hundredth more for rounding.
                #expect(largestStep(samples) <= Self.step * 1.01)
                let slide = samples.filter { $0 != 0 && $0 != 0.5 }
                #expect((230...240).contains(slide.count), "\(slide.count) frames")
            }
            // From end to end; the slide may begin with the first frame that is heard.
            let ends = [first.first, first.last, second.first, second.last].map { $0 ?? -1 }
            let whole: [Float] = isSecond ? [0.5, 0, 0, 0.5] : [0, 0.5, 0.5, 0]
            #expect(zip(ends, whole).allSatisfy { abs($0 - $1) <= Self.step * 1.01 }, "\(ends)")
            // Silent channels stay so.
            #expect(heard[1][2...].allSatisfy { $0.allSatisfy { $0 == 0 } })
            if kind == .simulated {
                // In the very next cycle.
                #expect(first.firstIndex { $0 != 0.5 } ?? .max <= 1)
                #expect(second.firstIndex { $0 != 0 } ?? .max <= 1)
            }
        }
    }

    /// From one frame of a slide to the next.
    private static let step: Float = 0.5 / 240

    // Behaviour 75
    @Test(arguments: WorldKind.allCases)
    func mapWrongSizeRejected(_ kind: WorldKind) async throws {
        try await withEngine(kind) { world, engine in
            let map = [-1, -1, 1, 0, -1, -1]
            engine.map = map
            try await world.fadeOut()
            let heard = try await world.record([.headphones, .interface], frames: 9600) {
                for wrong in [[], [0, 1], [0, 1, -1, -1, -1], [0, 1, -1, -1, -1, -1, -1], [0, 1, 2, 3, 4, 6]] {
                    engine.map = wrong
                    #expect(engine.map == map)
                    #expect(engine.setMapProperty(wrong.map { Int32($0) }) == kAudioUnitErr_InvalidPropertyValue)
                    #expect(engine.map == map)
                }
            }
            // The old one sounds on, frame after frame.
            #expect(heard.flatMap { $0.map(NumberedLoop.channel) } == map)
            #expect(engine.isRunning)
        }
    }

    // Behaviour 76: at the end of the route, and at its beginning.
    @Test(arguments: WorldKind.allCases)
    func monoDeviceGetsOneChannel(_ kind: WorldKind) async throws {
        try await withEngine(kind, plugged: [.headphones, .monitor]) { world, engine in
            let devices = [WorldDevice.headphones, .monitor]
            #expect(engine.outputChannels == 3)
            try await world.expectHeard([0, 1, -1], on: devices)
            engine.map = [-1, -1, 0]
            try await world.expectHeard([-1, -1, 0], on: devices)
            // What the article's code would write past the last device.
            engine.map = [-1, -1, 0, 1]
            #expect(engine.map == [-1, -1, 0])
        }
        try await withEngine(kind, plugged: [.monitor, .headphones]) { world, engine in
            let devices = [WorldDevice.monitor, .headphones]
            #expect(engine.map == [0, -1, -1])
            try await world.expectHeard([0, -1, -1], on: devices)
            engine.map = [-1, 0, 1]
            try await world.expectHeard([-1, 0, 1], on: devices)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func playersWithMapsOfTheirOwn_reachADeviceEach(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones, .interface]) { world in
            let engine = world.engine()
            let format = engine.outputNode.outputFormat(forBus: 0)
            #expect(format.channelCount == 6)
            let players = try (0..<2).map { _ in try world.addPlayer(to: engine, looping: NumberedLoop.buffer(format)) }
            engine.connect(engine.mainMixerNode, to: engine.outputNode, format: format)
            #expect(engine.map == [0, 1, 2, 3, 4, 5])
            try engine.start()
            players[0].auAudioUnit.channelMap = [0, 1, -1, -1, -1, -1]
            players[1].auAudioUnit.channelMap = [-1, -1, 2, 3, -1, -1]
            players[0].play()
            try await world.expectHeard([0, 1, -1, -1, -1, -1], on: [.headphones, .interface])
            players[1].play()
            try await world.expectHeard([0, 1, 2, 3, -1, -1], on: [.headphones, .interface])
            players[0].pause()
            try await world.expectHeard([-1, -1, 2, 3, -1, -1], on: [.headphones, .interface])
        }
    }

    /// The app computes its map again at each configuration change, as behaviour 74 has it.
    @Test(arguments: WorldKind.allCases)
    func deviceThatComesOrGoes_stopsTheEngineOnce_andTheRestPlaysOn(_ kind: WorldKind) async throws {
        try await withEngine(kind, plugged: [.interface, .headphones]) { world, engine in
            let changes = ConfigurationChanges(of: engine)
            engine.map = [-1, -1, -1, -1, 0, 1]
            try await world.expectHeard([-1, -1, -1, -1, 0, 1], on: [.interface, .headphones])
            try await world.mark()
            try await world.unplug(.interface)
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 1)
            #expect(engine.map == [0, 1])
            try await world.expectHeard([-1, -1], on: [.headphones])
            try engine.start()
            try await world.expectHeard([0, 1], on: [.headphones])
            try await world.plug(.interface)
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 2)
            // What comes back is the last one now.
            #expect(engine.map == [0, 1, -1, -1, -1, -1])
            engine.map = [-1, -1, 0, 1, -1, -1]
            try engine.start()
            try await world.expectHeard([-1, -1, 0, 1, -1, -1], on: [.headphones, .interface])
            #expect(changes.count == 2)
        }
    }
}

/// The largest difference between neighbours.
private func largestStep(_ samples: [Float]) -> Float {
    zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
}
