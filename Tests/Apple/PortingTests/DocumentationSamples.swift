import AVFoundation
import AudioDeviceSelection
import OpenAVFAudioTestKit
import Synchronization
import Testing

// The Swift samples of the README and of the articles in OpenAVFAudio.docc, line by line: dev/checks/samples compares them.
// A sample that cannot run in a test is in a function that is only compiled.

/// What an app shows.
private final class Screen: Sendable {
    private let lines = Mutex<[String]>([])
    var history: [String] { lines.withLock { $0 } }

    func showPaused() { lines.withLock { $0.append("paused") } }
    func showCall() { lines.withLock { $0.append("call") } }
    func showOutput(_ name: String?) { lines.withLock { $0.append("on \(name ?? "nothing")") } }
    func showTime(_ seconds: Double) { lines.withLock { $0.append("at \(seconds) s") } }
}

/// What an app does with the buffers of a tap.
private final class Meter: Sendable {
    private let frames = Mutex(0)
    var count: Int { frames.withLock { $0 } }

    func show(_ buffer: AVAudioPCMBuffer) { frames.withLock { $0 += Int(buffer.frameLength) } }
}

// Interruptions
final class Music: @unchecked Sendable {  // used on the main thread only
    private let player: AVAudioPlayer
    private var token: (any NSObjectProtocol)?
    var isPlaying: Bool { player.isPlaying }

    init(_ song: URL) throws {
        player = try AVAudioPlayer(contentsOf: song)
        token = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification,
            object: AVAudioSession.sharedInstance(), queue: .main
        ) { [weak self] note in self?.interruptionChanged(note) }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    func play() { player.play() }

    private func interruptionChanged(_ note: Notification) {
        guard let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
            type == AVAudioSession.InterruptionType.ended.rawValue,
            let value = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
        else { return }
        if AVAudioSession.InterruptionOptions(rawValue: value).contains(.shouldResume) { player.play() }
    }
}

@Suite struct DocumentationSamples {
    /// Calls `body` with a stereo tone of 10 s at 48 kHz in a file.
    private func withSong<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let song = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: song) }
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 480_000))
        buffer.frameLength = 480_000
        for frame in 0..<480_000 {
            let value = Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 48_000))
            for channel in 0..<2 { buffer.floatChannelData?[channel][frame] = value }
        }
        do {
            try AVAudioFile(forWriting: song, settings: format.settings).write(from: buffer)
        }
        return try body(song)
    }

    // MARK: README

    /// The loop has no end of its own.
    private func printLosses() async throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        try session.setActive(true)

        for await note in NotificationCenter.default.notifications(named: AVAudioSession.routeChangeNotification) {
            guard let value = note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                AVAudioSession.RouteChangeReason(rawValue: value) == .oldDeviceUnavailable,
                let previous = note.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { continue }
            print("lost \(previous.outputs.map(\.portName)), now on \(session.currentRoute.outputs.map(\.portName))")
        }
    }

    @Test(.simulated(.phone)) func readme_printsLosses_untilItIsCancelled() async throws {
        let task = Task { try await printLosses() }
        task.cancel()
        try await task.value
    }

    @Test(.simulated(.phone)) func lostDevicesAreNamed() async throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        try session.setActive(true)
        let notes = NotificationCenter.default.notifications(
            named: AVAudioSession.routeChangeNotification, object: session)
        phone.plug(.wiredHeadphones)
        phone.unplug(.wiredHeadphones)

        var lines: [String] = []
        for await note in notes {
            guard let value = note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                AVAudioSession.RouteChangeReason(rawValue: value) == .oldDeviceUnavailable,
                let previous = note.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { continue }
            lines.append(
                "lost \(previous.outputs.map(\.portName)), now on \(session.currentRoute.outputs.map(\.portName))")
            break
        }
        #expect(lines == [#"lost ["Headphones"], now on ["Speaker"]"#])
    }

    // MARK: Getting started

    @Test(.simulated(.phone)) func gettingStarted_playsAndGivesBack() throws {
        let phone = try #require(AudioSimulator.current)
        try withSong { song in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            try session.setActive(true)

            let player = try AVAudioPlayer(contentsOf: song)
            player.play()

            phone.advance(bySeconds: 0.5)
            #expect(phone.loudFrames(of: .builtInSpeaker) > 0)

            player.stop()
            try session.setActive(false, options: .notifyOthersOnDeactivation)

            #expect(!player.isPlaying)
            #expect(phone.violations == [])
        }
    }

    // MARK: Route changes

    @Test(.simulated(.phone)) func routeChanges_areShown() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        let screen = Screen()
        try session.setCategory(.playback)
        try session.setActive(true)

        for output in session.currentRoute.outputs {
            print(output.portName, output.portType.rawValue, output.channels?.count ?? 0)
        }

        let observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { note in
            guard let value = note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSession.RouteChangeReason(rawValue: value)
            else { return }
            switch reason {
            case .oldDeviceUnavailable: screen.showPaused()
            case .newDeviceAvailable: screen.showOutput(session.currentRoute.outputs.first?.portName)
            default: break
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }

        phone.plug(.wiredHeadphones)
        phone.unplug(.wiredHeadphones)
        #expect(screen.history == ["on Headphones", "paused"])
    }

    @Test(.simulated(.phone)) func routeChanges_overrideAndPreferences() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord)
        try session.overrideOutputAudioPort(.speaker)

        phone.plug(.wiredHeadset)
        if let headset = session.availableInputs?.first(where: { $0.portType == .headsetMic }) {
            try session.setPreferredInput(headset)
        }
        #expect(session.preferredInput?.portType == .headsetMic)

        try session.setPrefersInterruptionOnRouteDisconnect(false)
        #expect(!session.prefersInterruptionOnRouteDisconnect)
    }

    // MARK: Interruptions

    @Test(.simulated(.phone)) func interruptions_callIsShown() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        let screen = Screen()
        try withSong { song in
            let player = try AVAudioPlayer(contentsOf: song)
            try session.setCategory(.playback)
            phone.receiveCall()

            do {
                try session.setActive(true)
                player.play()
            } catch let error as NSError where error.code == AVAudioSession.ErrorCode.insufficientPriority.rawValue {
                screen.showCall()
            }

            #expect(screen.history == ["call"])
            #expect(!player.isPlaying)
        }
    }

    @Test(.simulated(.phone)) func interruptions_duckingIsAudibleBesideOthers() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        let radio = try phone.launchApp(named: "Radio")
        try radio.session.setCategory(.playback)
        try radio.session.setActive(true)
        try withSong { song in
            let player = try AVAudioPlayer(contentsOf: song)

            try session.setCategory(.playback, options: .duckOthers)
            try session.setActive(true)
            player.play()

            phone.advance(bySeconds: 0.5)
            #expect(phone.loudFrames(of: .builtInSpeaker) > 0)
            player.pause()

            try session.setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    // MARK: Several outputs

    @Test(.simulated(.bare)) func severalOutputs_theMapSteersToOneDevice() throws {
        let machine = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        machine.plug(.hdmi)
        machine.plug(.usbHeadphones)

        try session.setCategory(.multiRoute)
        try session.setActive(true)
        for output in session.currentRoute.outputs {
            print(output.portName, output.channels?.count ?? 0)
        }

        try withSong { song in
            let engine = AVAudioEngine()
            let player = AVAudioPlayerNode()
            let file = try AVAudioFile(forReading: song)
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)

            let counts = session.currentRoute.outputs.map { $0.channels?.count ?? 0 }
            var channelMap = [NSNumber](repeating: -1, count: counts.reduce(0, +))
            channelMap[counts[0]] = 0
            channelMap[counts[0] + 1] = 1
            engine.outputNode.auAudioUnit.channelMap = channelMap

            player.scheduleFile(file, at: nil, completionHandler: nil)
            try engine.start()
            player.play()
            machine.advance(bySeconds: 0.5)
            #expect(machine.loudFrames(of: .hdmi) == 0)
            #expect(machine.loudFrames(of: .usbHeadphones) > 0)
            engine.stop()
        }
    }

    @Test(.simulated(.bare)) func severalOutputs_devicesAreChosen() throws {
        let machine = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        machine.plug(.hdmi)
        machine.plug(.usbHeadphones)
        try session.setCategory(.multiRoute)
        let engine = AVAudioEngine()

        let devices = AudioDevices()
        print(devices.all.map(\.name))
        try devices.select(portType: .HDMI)
        #expect(devices.current.map(\.portType) == [.HDMI])

        devices.steer(engine)
        try devices.select(devices.all[1])
        #expect(devices.current.map(\.portType) == [.usbAudio])
    }

    @Test(.simulated(.phone)) func severalOutputs_inputMapHasTheRecordedChannels() throws {
        let phone = try #require(AudioSimulator.current)
        phone.plug(.usbAudio)
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
        let engine = AVAudioEngine()

        engine.inputNode.auAudioUnit.channelMap = [1]

        #expect(engine.inputNode.auAudioUnit.channelMap == [1])
    }

    // MARK: Players and recorders

    @Test(.simulated(.phone)) func players_avPlayer() throws {
        let screen = Screen()
        try withSong { song in
            let player = AVPlayer(url: song)
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(seconds: 0.5, preferredTimescale: 600), queue: nil
            ) { time in screen.showTime(time.seconds) }
            player.play()

            #expect(player.defaultRate == 1)
            player.removeTimeObserver(observer)
        }
    }

    @Test(.simulated(.phone)) func players_engineAtOneAndAHalf() throws {
        let phone = try #require(AudioSimulator.current)
        try withSong { song in
            let file = try AVAudioFile(forReading: song)
            try AVAudioSession.sharedInstance().setCategory(.playback)

            let engine = AVAudioEngine()
            let player = AVAudioPlayerNode()
            let speed = AVAudioUnitTimePitch()
            engine.attach(player)
            engine.attach(speed)
            engine.connect(player, to: speed, format: file.processingFormat)
            engine.connect(speed, to: engine.mainMixerNode, format: file.processingFormat)
            speed.rate = 1.5

            player.scheduleFile(file, at: nil, completionHandler: nil)
            try engine.start()
            player.play()

            phone.advance(bySeconds: 1)
            #expect(phone.loudFrames(of: .builtInSpeaker) > 0)
            engine.stop()
        }
    }

    private func record(_ memo: URL, on phone: AudioSimulator) async throws {
        let session = AVAudioSession.sharedInstance()

        try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
        guard await AVAudioApplication.requestRecordPermission() else { return }

        let recorder = try AVAudioRecorder(
            url: memo, settings: [AVSampleRateKey: 48_000.0, AVNumberOfChannelsKey: 1])
        recorder.record(forDuration: 2)

        phone.advance(bySeconds: 3)
        #expect(!recorder.isRecording)
    }

    @Test(.simulated(.phone)) func recorder_writesTheFile() async throws {
        let phone = try #require(AudioSimulator.current)
        let memo = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).flac")
        defer { try? FileManager.default.removeItem(at: memo) }
        try await record(memo, on: phone)
        #expect(try AVAudioFile(forReading: memo).length == 96_000)
    }

    // MARK: Testing your app

    @Test(.simulated(.phone)) func headphonesBecomeTheRoute() throws {
        let phone = try #require(AudioSimulator.current)
        phone.plug(.wiredHeadphones)
        #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .headphones)
        phone.unplug(.wiredHeadphones)
        #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .builtInSpeaker)
    }

    @Test(.simulated(.phone)) func testing_nothingLeaks() throws {
        let phone = try #require(AudioSimulator.current)
        try AVAudioSession.sharedInstance().setCategory(.playback)
        try withSong { song in
            let player = try AVAudioPlayer(contentsOf: song)

            phone.plug(.wiredHeadphones)
            player.play()
            phone.advance(bySeconds: 1)

            phone.unplug(.wiredHeadphones)
            let unplugged = phone.now
            phone.advance(bySeconds: 1)
            #expect(!player.isPlaying)
            #expect(phone.loudFrames(of: .wiredHeadphones) > 0)
            #expect(phone.loudFrames(of: .builtInSpeaker, since: unplugged) == 0)
        }
    }

    @Test(.simulated(.phone)) func testing_callsAndOtherApps() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        try withSong { song in
            let music = try Music(song)
            music.play()
            #expect(music.isPlaying)

            phone.receiveCall()
            #expect(!music.isPlaying)
            phone.endCall()
            #expect(music.isPlaying)

            let radio = try phone.launchApp(named: "Radio")
            try radio.session.setCategory(.playback)
            try radio.session.setActive(true)
            phone.settle()
            #expect(!music.isPlaying)

            radio.kill()
            #expect(!music.isPlaying)

            let film = phone.startForeignAudio(role: "Movie", name: "Film")
            #expect(session.isOtherAudioPlaying)
            film.stop()
            #expect(!session.isOtherAudioPlaying)
        }
    }

    @Test(.simulated(.phone)) func testing_crashAndSleep() throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        try withSong { song in
            let player = try AVAudioPlayer(contentsOf: song)
            #expect(player.play())

            phone.crashMediaServices()
            #expect(!player.isPlaying)
            #expect(throws: (any Error).self) { try session.setActive(true) }

            phone.restartMediaServices()
            try session.setCategory(.playback)
            try session.setActive(true)
            let newPlayer = try AVAudioPlayer(contentsOf: song)
            #expect(newPlayer.play())

            phone.sleep()
            #expect(phone.isAsleep)
            phone.advance(bySeconds: 60)
            phone.wakeUp()

            #expect(!newPlayer.isPlaying)
        }
    }

    @Test(.simulated(.phone)) func testing_microphoneVolumesAndRates() async throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()

        phone.setInput(of: .builtInMic) { frame, _ in
            Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 48_000))
        }
        phone.setRecordPermission(.undetermined, promptAnswer: true)
        #expect(await AVAudioApplication.requestRecordPermission())

        try session.setCategory(.playback)
        phone.setVolume(of: .builtInSpeaker, to: 0.25)
        #expect(session.outputVolume == 0.25)
        phone.setSampleRate(of: .builtInSpeaker, to: 44_100)
        #expect(session.sampleRate == 44_100)
    }

    // MARK: Real-time rules

    @Test(.simulated(.phone)) func realTime_sourceAndTap() throws {
        let phone = try #require(AudioSimulator.current)
        try AVAudioSession.sharedInstance().setCategory(.playback)
        let engine = AVAudioEngine()
        let meter = Meter()

        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { buffer, time in
            meter.show(buffer)
        }

        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1)!
        var frame = 0
        let tone = AVAudioSourceNode(format: format) { _, _, frameCount, list in
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                let samples = UnsafeMutableBufferPointer<Float>(buffer)
                for index in 0..<Int(frameCount) {
                    samples[index] = Float(0.25 * sin(2 * Double.pi * 440 * Double(frame + index) / 48_000))
                }
            }
            frame += Int(frameCount)
            return noErr
        }
        engine.attach(tone)
        engine.connect(tone, to: engine.mainMixerNode, format: format)
        try engine.start()

        phone.advance(bySeconds: 1)
        engine.stop()
        #expect(phone.loudFrames(of: .builtInSpeaker) > 0)
        #expect(phone.violations == [])
    }

    // MARK: Which host am I on

    /// Compiled only: it would connect the program's session.
    private func selectHost() throws {
        do {
            try AudioSessionHost.select(.pipeWire)
        } catch let error as AudioSessionHostError where error.code == .unavailable {
            print("there is no sound server: \(error.message)")
        }
    }

    // MARK: Errors

    @Test(.simulated(.phone)) func errors_areRead() throws {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.record, options: .duckOthers)
        } catch let error as NSError where error.domain == NSOSStatusErrorDomain {
            switch AVAudioSession.ErrorCode(rawValue: error.code) {
            case .badParam: print(error.localizedDescription)
            default: throw error
            }
        }
        #expect(session.category == .soloAmbient)
    }
}
