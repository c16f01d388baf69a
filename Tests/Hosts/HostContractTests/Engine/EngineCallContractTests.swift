import AudioModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What an app may do in the code of its own that an engine calls; docs/architecture.md lists all such calls.
@Suite("Engine call contract", .serialized)
struct EngineCallContractTests {
    /// Code of the app's that an engine calls.
    enum Call: String, CaseIterable {
        case sourceBlock, tap, sinkBlock, completionHandler

        /// Calls that wait for the session are no part of these.
        var isInCycle: Bool { self == .sourceBlock || self == .sinkBlock }
    }

    /// What the app does in the first of these calls.
    enum Reaction: CaseIterable {
        case restartEngine, restartSession, detachNode, releaseEngine
    }

    /// `@unchecked Sendable`: the test leaves `engine` and `node` alone until the first call has returned.
    private final class ReactingApp: @unchecked Sendable {
        let done = History<String>()
        let calls = Atomic(0)
        /// Calls before that are not counted: a deactivation while `start` runs makes it throw.
        private let hasStarted = Atomic(false)
        private(set) weak var lastEngine: AVAudioEngine?
        private var engine: AVAudioEngine?
        private var node: AVAudioNode?
        private let session: AVAudioSession
        private let call: Call
        private let reaction: Reaction

        init(_ call: Call, _ reaction: Reaction, in world: any World) throws {
            session = world.session
            (self.call, self.reaction) = (call, reaction)
            var afterStart: () throws -> Void = {}
            let engine = world.engine()
            (self.engine, lastEngine) = (engine, engine)
            switch call {
            case .sourceBlock:
                let source = AVAudioSourceNode { [weak self] _, _, _, _ in
                    self?.react()
                    return noErr
                }
                engine.attach(source)
                let format = engine.outputNode.outputFormat(forBus: 0)
                engine.connect(source, to: engine.mainMixerNode, format: format)
                node = source
            case .tap:
                engine.mainMixerNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { [weak self] _, _ in
                    self?.react()
                }
                node = engine.mainMixerNode
            case .sinkBlock:
                let sink = AVAudioSinkNode { [weak self] _, _, _ in
                    self?.react()
                    return noErr
                }
                engine.attach(sink)
                engine.connect(engine.inputNode, to: sink, format: nil)
                node = sink
            case .completionHandler:
                let player = try world.addPlayer(to: engine, looping: .level(0.5))
                player.stop()
                afterStart = { [weak self] in
                    player.scheduleBuffer(try .level(0.5)) { self?.react() }
                    player.play()
                }
                node = player
            }
            try engine.start()
            hasStarted.store(true, ordering: .sequentiallyConsistent)
            try afterStart()
        }

        private func react() {
            guard hasStarted.load(ordering: .sequentiallyConsistent), calls.add(1, ordering: .relaxed).oldValue == 0
            else { return }
            do {
                switch reaction {
                case .restartEngine:
                    engine?.stop()
                    try engine?.start()
                case .restartSession:
                    if call.isInCycle {
                        let error = #expect(throws: NSError.self) { try session.setActive(true) }
                        #expect(error?.code == AVAudioSession.ErrorCode.isBusy.rawValue)
                        break
                    }
                    // An error says that the engine was running.
                    try? session.setActive(false)
                    try session.setActive(true)
                    try engine?.start()
                case .detachNode:
                    if let node { engine?.detach(node) }
                case .releaseEngine:
                    (engine, node) = (nil, nil)
                }
                done.append("done")
            } catch {
                done.append("\(error)")
            }
        }

        var isRunning: Bool { engine?.isRunning ?? false }
        func stop() { engine?.stop() }
    }

    @Test(arguments: WorldKind.allCases, Call.allCases)
    func appCode_whileTheEngineCallsIt_mayStopRestartAndReleaseTheEngine(_ kind: WorldKind, _ call: Call) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            for reaction in Reaction.allCases {
                let app = try ReactingApp(call, reaction, in: world)
                try await world.until("\(reaction)") { app.done.count > 0 }
                #expect(app.done.entries == ["done"], "\(reaction)")
                switch reaction {
                case .restartEngine, .restartSession:
                    // What a block in the cycle asks for is done just after.
                    try await world.until("a start after \(reaction)") { app.isRunning }
                    // A completion handler is called once.
                    if call != .completionHandler {
                        let count = app.calls.load(ordering: .relaxed)
                        try await world.until("calls after \(reaction)") {
                            app.calls.load(ordering: .relaxed) > count
                        }
                    }
                case .detachNode:
                    #expect(app.isRunning)
                case .releaseEngine:
                    // The thread that called may hold the engine's parts for an instant longer.
                    try await world.until("the engine's end") { app.lastEngine == nil }
                }
                app.stop()
                try await world.until("the end of the streams") { world.runtime.state.streams.isEmpty }
            }
        }
    }

    /// One call that is longer than any cycle, on a device that waits for it.
    @Test func sourceBlock_thatTakesLongerThanACycle_isCalledAheadOfIt_untilTheEngineStarts() async throws {
        try await withWorld(.pipeWire, plugged: [.speaker], category: .playback) { world in
            let isSlow = Atomic(false)
            let engine = world.engine()
            let source = AVAudioSourceNode { _, _, frames, list in
                if isSlow.exchange(false, ordering: .relaxed) { Thread.sleep(forTimeInterval: 0.5) }
                for buffer in UnsafeMutableAudioBufferListPointer(list) {
                    buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: 0.5, count: Int(frames))
                }
                return noErr
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: engine.outputNode.outputFormat(forBus: 0))
            try engine.start()
            try await world.untilHeard(on: .speaker)
            isSlow.store(true, ordering: .relaxed)
            try await world.until("the end of its cycles") { !source.isCalledInRenderCycle }
            #expect(source.slowRenderCallCount > 0)
            #expect(try await world.level(on: .speaker) == 0.5)
            engine.stop()
            try engine.start()
            #expect(source.isCalledInRenderCycle)
            #expect(try await world.level(on: .speaker) == 0.5)
        }
    }

    /// The device has 48 000 Hz.
    @Test(arguments: WorldKind.allCases)
    func sourceBlock_ofAnotherRate_isCalledInTheCycle(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let engine = world.engine()
            let source = AVAudioSourceNode { _, _, frames, list in
                for buffer in UnsafeMutableAudioBufferListPointer(list) {
                    buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: 0.5, count: Int(frames))
                }
                return noErr
            }
            engine.attach(source)
            let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2)
            engine.connect(source, to: engine.mainMixerNode, format: format)
            try engine.start()
            #expect(source.isCalledInRenderCycle)
            try await world.untilHeard(on: .speaker)
            #expect(abs(try await world.level(on: .speaker) - 0.5) < 1e-5)
            engine.stop()
        }
    }

    @Test func sinkBlock_thatTakesLongerThanACycle_isCalledAfterIt_untilTheEngineStarts() async throws {
        try await withWorld(.pipeWire, plugged: [.speaker, .microphone], category: .record) { world in
            let isSlow = Atomic(false)
            let calls = Atomic(0)
            let engine = world.engine()
            let sink = AVAudioSinkNode { _, _, _ in
                if isSlow.exchange(false, ordering: .relaxed) { Thread.sleep(forTimeInterval: 0.5) }
                calls.add(1, ordering: .relaxed)
                return noErr
            }
            engine.attach(sink)
            engine.connect(engine.inputNode, to: sink, format: nil)
            try engine.start()
            try await world.until("a call") { calls.load(ordering: .relaxed) > 0 }
            isSlow.store(true, ordering: .relaxed)
            try await world.until("the end of its cycles") { !sink.isCalledInRenderCycle }
            #expect(sink.slowRenderCallCount > 0)
            var count = calls.load(ordering: .relaxed)
            try await world.until("calls after the cycle") { calls.load(ordering: .relaxed) > count + 2 }
            engine.pause()
            try engine.start()
            #expect(sink.isCalledInRenderCycle)
            count = calls.load(ordering: .relaxed)
            try await world.until("calls in the cycle") { calls.load(ordering: .relaxed) > count + 2 }
        }
    }

    /// What an engine has; a thread keeps its own object until it ends.
    private final class Remains {
        private(set) weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    @Test(arguments: WorldKind.allCases)
    func engines_thatRanTogether_leaveNoObjectAndNoThread(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            var remains: [Remains] = []
            let heard = Mutex<Set<Int>>([])
            func start(_ number: Int) throws -> AVAudioEngine {
                let (engine, player) = try world.startEngine(looping: .level(0.01))
                engine.mainMixerNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { _, _ in
                    _ = heard.withLock { $0.insert(number) }
                }
                let control = engine.control
                let threads: [AnyObject] = [control.reading, control.handlers.completions, control.handlers.taps]
                let renderer: [AnyObject] = [control.transport] + [control.renderer].compactMap(\.self)
                let memory = control.state.withLock { state in
                    state.nodes.values.flatMap { [$0.feed as AnyObject?, $0.tap].compactMap(\.self) }
                }
                remains += ([engine, player, control] + threads + renderer + memory).map(Remains.init)
                return engine
            }
            func runTogether() async throws {
                let engines = try (0..<10).map(start)
                try await world.until("all taps") { heard.withLock { $0.count } == engines.count }
                for engine in engines { engine.stop() }
                #expect(world.runtime.state.streams.isEmpty)
            }
            try await runTogether()
            #expect(remains.count == 10 * 10)
            try? await world.until { remains.allSatisfy { $0.object == nil } }
            #expect(remains.compactMap(\.object).map { "\(type(of: $0))" } == [])
        }
    }
}
