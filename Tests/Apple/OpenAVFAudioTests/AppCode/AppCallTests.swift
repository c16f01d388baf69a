import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import Synchronization
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// What an app may do in code of its own that the library calls; docs/architecture.md lists all such calls.
///
/// `EngineCallContractTests` has the calls of a running engine.
@MainActor @Suite struct AppCallTests {
    private let machine: AppMachine

    init() throws {
        machine = try AppMachine(.phone, devices: [])
        try machine.session.setCategory(.playAndRecord)
        try machine.prepareRecording()
    }

    /// An app that stops and starts its session and an engine, once.
    ///
    /// `@unchecked Sendable`: the test leaves `engine` alone until `restart` has returned.
    private final class Restarter: @unchecked Sendable {
        let done = History<String>()
        private let session: AVAudioSession
        private let engine: AVAudioEngine
        private let count = Atomic(0)

        init(_ machine: AppMachine) throws {
            session = machine.session
            (engine, _) = try machine.engineWithPlayer()
        }

        func restart() {
            guard count.add(1, ordering: .relaxed).oldValue == 0 else { return }
            do {
                engine.stop()
                // An error says that something was playing.
                try? session.setActive(false)
                try session.setActive(true)
                try engine.start()
                done.append("running: \(engine.isRunning)")
            } catch {
                done.append("\(error)")
            }
        }

        /// Waits for the call; some come on threads of their own.
        func expectRestart(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let entries = try done.wait(for: "a restart") { !$0.isEmpty }
            #expect(entries == ["running: true"], sourceLocation: sourceLocation)
        }
    }

    // MARK: Manual rendering

    /// An engine in realtime mode, running, whose input asks this block.
    private func engineByHand(input block: @escaping AVAudioIONodeInputBlock) throws -> AVAudioEngine {
        let engine = machine.engine()
        try engine.enableManualRenderingMode(.realtime, format: .mono, maximumFrameCount: 64)
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: block))
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        return engine
    }

    private func buffer(frames: AVAudioFrameCount = 64) throws -> AVAudioPCMBuffer {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: frames))
        buffer.frameLength = frames
        return buffer
    }

    @Test func inputBlock_whileItIsCalled_mayRestartTheEngine() throws {
        let restarter = try Restarter(machine)
        let (engine, given, output) = (WeakBox<AVAudioEngine>(), try buffer(), try buffer())
        let byHand = try engineByHand { _ in
            restarter.restart()
            engine.object?.stop()
            try? engine.object?.start()
            return given.audioBufferList
        }
        engine.object = byHand
        #expect(byHand.manualRenderingBlock(64, output.mutableAudioBufferList, nil) == .success)
        #expect(byHand.isRunning)
        try restarter.expectRestart()
    }

    @Test func inputBlock_whileItIsCalled_mayReleaseTheEngine() throws {
        let (engine, given, output) = (Held<AVAudioEngine>(), try buffer(), try buffer())
        func start() throws -> AVAudioEngineManualRenderingBlock {
            let byHand = try engineByHand { _ in
                engine.release()
                return given.audioBufferList
            }
            engine.hold(byHand)
            return byHand.manualRenderingBlock
        }
        _ = try start()(64, output.mutableAudioBufferList, nil)
        #expect(engine.isGone)
    }

    @Test func sourceBlock_whileItIsRenderedByHand_mayReleaseTheEngine() throws {
        let (engine, output) = (Held<AVAudioEngine>(), try buffer())
        func start() throws -> AVAudioEngineManualRenderingBlock {
            let byHand = machine.engine()
            let source = AVAudioSourceNode { _, _, _, _ in
                engine.release()
                return noErr
            }
            byHand.attach(source)
            byHand.connect(source, to: byHand.mainMixerNode, format: .mono)
            try byHand.enableManualRenderingMode(.realtime, format: .mono, maximumFrameCount: 64)
            try byHand.start()
            engine.hold(byHand)
            return byHand.manualRenderingBlock
        }
        _ = try start()(64, output.mutableAudioBufferList, nil)
        #expect(engine.isGone)
    }

    @Test func converterInputBlock_whileItIsCalled_mayRestart_andResetTheConverter() throws {
        let restarter = try Restarter(machine)
        let converter = try #require(AVAudioConverter(from: .mono, to: .standard(1, rate: 44_100)))
        let input = try buffer(frames: 480)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 200))
        var isReset = false
        let status = converter.convert(to: output, error: nil) { _, status in
            restarter.restart()
            if !isReset { converter.reset() }
            isReset = true
            status.pointee = .haveData
            return input
        }
        #expect(status == .haveData)
        try restarter.expectRestart()
    }

    // MARK: Main thread

    private final class Delegate: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
        let react: () -> Void
        init(_ react: @escaping () -> Void) { self.react = react }
        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { react() }
        func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) { react() }
    }

    @Test func playerDelegate_mayRestart_andReleaseThePlayer() throws {
        let restarter = try Restarter(machine)
        let player = Held<AVAudioPlayer>()
        let delegate = Delegate {
            restarter.restart()
            player.release()
        }
        func start() throws {
            let player_ = try machine.audioPlayer(seconds: 0.1)
            player_.delegate = delegate
            #expect(player_.play())
            player.hold(player_)
        }
        try start()
        machine.advance(frames: 9600)
        try restarter.expectRestart()
        #expect(player.isGone)
    }

    @Test func recorderDelegate_mayRestart_andReleaseTheRecorder() throws {
        let restarter = try Restarter(machine)
        let recorder = Held<AVAudioRecorder>()
        let delegate = Delegate {
            restarter.restart()
            recorder.release()
        }
        func start() throws {
            let recorder_ = try AVAudioSession.$taskSession.withValue(machine.session) {
                try AVAudioRecorder(
                    url: URL(filePath: machine.path), settings: [AVFormatIDKey: kAudioFormatLinearPCM])
            }
            recorder_.delegate = delegate
            #expect(recorder_.record(forDuration: 0.1))
            recorder.hold(recorder_)
        }
        try start()
        machine.advance(frames: 9600)
        machine.runtime.drain()
        try restarter.expectRestart()
        #expect(recorder.isGone)
    }

    /// Code of the app's that an `AVPlayer` calls.
    enum PlayerCall: CaseIterable {
        case periodicObserver, boundaryObserver, seekCompletion, keyValueObserver, endNotification, rateNotification
    }

    @Test(arguments: PlayerCall.allCases)
    func avPlayersCall_mayRestart_andReleaseThePlayer(_ call: PlayerCall) throws {
        let restarter = try Restarter(machine)
        let held = Held<AVPlayer>()
        let tokens = History<Kept>()
        let react = { @Sendable in
            restarter.restart()
            held.object?.pause()
            held.object?.play()
            for token in tokens.entries { if let token = token.value { held.object?.removeTimeObserver(token) } }
            held.release()
        }
        func start() throws {
            let player = try machine.avPlayer(seconds: 0.2)
            held.hold(player)
            switch call {
            case .periodicObserver:
                let token = player.addPeriodicTimeObserver(forInterval: CMTime(0.1), queue: nil) {
                    if $0 > .zero { react() }
                }
                tokens.append(Kept(token))
            case .boundaryObserver:
                let times = [NSValue(time: CMTime(0.1))]
                tokens.append(Kept(player.addBoundaryTimeObserver(forTimes: times, queue: nil) { react() }))
            case .seekCompletion: player.seek(to: CMTime(0.1)) { _ in react() }
            case .keyValueObserver:
                tokens.append(Kept(observation: player.observe(\.timeControlStatus) { _, _ in react() }))
            case .endNotification:
                let name = AVPlayerItem.didPlayToEndTimeNotification
                tokens.append(Kept(observer: Observer(name, object: player.currentItem) { _ in react() }))
            case .rateNotification:
                let name = AVPlayer.rateDidChangeNotification
                tokens.append(Kept(observer: Observer(name, object: player) { _ in react() }))
            }
            player.play()
        }
        try start()
        machine.run(frames: 19_200)
        try restarter.expectRestart()
        machine.runtime.drain()
        #expect(held.isGone)
    }

    /// Code of the app's that a session calls.
    enum SessionCall: CaseIterable {
        case routeChange, interruption, keyValueObserver, activation, routeSelection, recordPermission, instantiation
    }

    @Test(arguments: SessionCall.allCases)
    func sessionsCall_mayRestart(_ call: SessionCall) throws {
        let restarter = try Restarter(machine)
        let session = machine.session
        var kept: [AnyObject] = []
        switch call {
        case .routeChange:
            kept = [Observer(AVAudioSession.routeChangeNotification, object: session) { _ in restarter.restart() }]
            machine.plug(.wiredHeadphones)
        case .interruption:
            kept = [
                Observer(AVAudioSession.interruptionNotification, object: session) {
                    let type = $0.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                    if type == AVAudioSession.InterruptionType.ended.rawValue { restarter.restart() }
                }
            ]
            machine.receiveCall()
            machine.endCall()
        case .keyValueObserver:
            kept = [session.observe(\.outputNumberOfChannels) { _, _ in restarter.restart() }]
            machine.plug(.usbAudio)
            machine.plug(.hdmi)
        case .activation: session.activate { _, _ in restarter.restart() }
        case .routeSelection: session.prepareRouteSelectionForPlayback { _, _ in restarter.restart() }
        case .recordPermission: session.requestRecordPermission { _ in restarter.restart() }
        case .instantiation:
            AVAudioUnit.instantiate(with: AVAudioUnitVarispeed().audioComponentDescription) { _, _ in
                restarter.restart()
            }
        }
        machine.runtime.drain()
        try restarter.expectRestart()
        withExtendedLifetime(kept) {}
    }

    // MARK: What goes with its last reference

    /// Where an app lets go of a buffer whose memory is its own.
    enum Ending: CaseIterable { case stop, interruption, detach, formatChange, playedOut }

    @Test(arguments: Ending.allCases)
    func deallocator_ofAScheduledBuffer_mayUseThePlayer_andRestart(_ ending: Ending) throws {
        let restarter = try Restarter(machine)
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let node = WeakBox<AVAudioPlayerNode>()
        node.object = player
        // Longer than what is read ahead.
        let memory = try buffer(frames: 48_000)
        func schedule() throws {
            let buffer = AVAudioPCMBuffer(pcmFormat: .mono, bufferListNoCopy: memory.mutableAudioBufferList) { _ in
                node.object?.stop()
                restarter.restart()
            }
            player.scheduleBuffer(try #require(buffer))
        }
        try schedule()
        player.play()
        machine.advance(frames: 480)
        #expect(restarter.done.entries == [])
        switch ending {
        case .stop: player.stop()
        case .interruption: player.scheduleBuffer(try buffer(), at: nil, options: .interrupts)
        case .detach: engine.detach(player)
        case .formatChange:
            engine.connect(player, to: engine.mainMixerNode, format: .stereo)
            player.stop()
        case .playedOut: machine.advance(frames: 57_600)
        }
        try restarter.expectRestart()
    }

    @Test(arguments: [false, true])
    func object_thatGoesWithATap_mayRestartTheEngine(isDetached: Bool) throws {
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let restarts = History<Bool>()
        func install() {
            let object = restarting(engine, restarts)
            player.installTap(onBus: 0, bufferSize: 4800, format: nil) { _, _ in withExtendedLifetime(object) {} }
        }
        install()
        if isDetached { engine.detach(player) } else { player.removeTap(onBus: 0) }
        #expect(restarts.entries == [true])
    }

    @Test(arguments: ["another block", "another mode", "the engine's end"])
    func object_thatGoesWithAnInputBlock_mayRestartTheEngine(_ cause: String) throws {
        let engine = Held<AVAudioEngine>()
        let restarts = History<Bool>()
        func install() throws {
            let byHand = machine.engine()
            try byHand.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 64)
            let object = restarting(byHand, restarts)
            #expect(
                byHand.inputNode.setManualRenderingInputPCMFormat(.mono) { _ in
                    withExtendedLifetime(object) { nil }
                })
            engine.hold(byHand)
        }
        try install()
        switch cause {
        case "another block": engine.object?.inputNode.setManualRenderingInputPCMFormat(.mono) { _ in nil }
        case "another mode": engine.object?.disableManualRenderingMode()
        default: engine.release()
        }
        #expect(restarts.count == 1)
    }

    /// Stops and starts an engine when it goes.
    private func restarting(_ engine: AVAudioEngine, _ restarts: History<Bool>) -> AtEnd {
        let box = WeakBox<AVAudioEngine>()
        box.object = engine
        return AtEnd {
            box.object?.stop()
            try? box.object?.start()
            restarts.append(box.object?.isRunning == true)
        }
    }

    @Test func object_thatGoesWithATimeObserver_mayRemoveObservers() throws {
        let player = try machine.avPlayer(seconds: 1)
        let box = WeakBox<AVPlayer>()
        box.object = player
        let ended = History<String>()
        let other = Kept(player.addPeriodicTimeObserver(forInterval: CMTime(1), queue: nil) { _ in })
        func add() -> Any {
            let object = AtEnd {
                if let token = other.value { box.object?.removeTimeObserver(token) }
                ended.append("ended")
            }
            return player.addPeriodicTimeObserver(forInterval: CMTime(1), queue: nil) { _ in
                withExtendedLifetime(object) {}
            }
        }
        player.removeTimeObserver(add())
        #expect(ended.entries == ["ended"])
    }

    /// An item of an app's own class, which says when it goes.
    private final class Item: AVPlayerItem, @unchecked Sendable {
        let atEnd = Mutex<AtEnd?>(nil)
    }

    @Test(arguments: [1, 2])
    func object_thatGoesWithAnItem_mayUseThePlayer(count: Int) throws {
        let player = machine.queuePlayer([])
        let box = WeakBox<AVPlayer>()
        box.object = player
        let ended = History<Double>()
        func insert() throws {
            for _ in 0..<count {
                let url = URL(filePath: try TestFile.write(.ramp, seconds: 1, in: machine.directory))
                let item = Item(asset: AVURLAsset(url: url), automaticallyLoadedAssetKeys: [String]())
                item.atEnd.withLock {
                    $0 = AtEnd {
                        box.object?.pause()
                        ended.append(box.object?.currentTime().seconds ?? -1)
                    }
                }
                player.insert(item, after: nil)
            }
        }
        try insert()
        player.play()
        machine.run(frames: 4800)
        player.removeAllItems()
        machine.runtime.drain()
        machine.run(frames: 4800)
        #expect(ended.count == count)
    }

    // MARK: On the session's thread

    @Test func object_thatGoesWithAnActivationHandler_doesNotGoOnTheSessionThread() throws {
        let session = machine.session
        let threads = History<ObjectIdentifier>()
        func activate() {
            let object = AtEnd { threads.append(ObjectIdentifier(Thread.current)) }
            session.activate { _, _ in withExtendedLifetime(object) {} }
        }
        for _ in 0..<500 {
            activate()
            machine.runtime.drain()
        }
        let sessionThread = machine.runtime.synchronously { _ in ObjectIdentifier(Thread.current) }
        #expect(threads.count == 500)
        #expect(threads.entries.count { $0 == sessionThread } == 0)
    }
}

/// The last reference to an object, for code that may run on any thread.
///
/// `@unchecked Sendable`: used by one thread at a time.
private final class Held<Object: AnyObject>: @unchecked Sendable {
    private(set) var object: Object?
    private weak var last: Object?

    func hold(_ object: Object) { (self.object, last) = (object, object) }
    func release() { object = nil }
    var isGone: Bool { last == nil }
}

/// `@unchecked Sendable`: only kept, and handed back.
private struct Kept: @unchecked Sendable {
    var value: Any?
    var objects: [AnyObject] = []

    init(_ value: Any) { self.value = value }
    init(observation: NSKeyValueObservation) { objects = [observation] }
    init(observer: Observer) { objects = [observer] }
}
