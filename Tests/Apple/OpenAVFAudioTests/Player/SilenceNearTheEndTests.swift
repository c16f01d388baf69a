import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// What is silenced at any of many moments near its end, and goes on then: its end is told once, and nothing is heard twice.
@MainActor @Suite struct SilenceNearTheEndTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// From 10 ms before the last frame to after its end was told.
    private static let moments = Array(stride(from: -480, through: 1440, by: 37))

    /// The rest of the last cycles is rendered without anything being told.
    private func advance(toTheEndAnd late: Int) {
        machine.advance(frames: 4320)
        machine.host.advance(frames: 480 + late)
    }

    @Test func queue_pausedNearAnItemsEnd_goesOnToTheNext() throws {
        var counts = [0, 0]
        for late in Self.moments {
            let items = [try machine.item(seconds: 0.1), try machine.item(.silence, seconds: 0.1)]
            let player = machine.queuePlayer(items)
            machine.runtime.drain()
            let ends = History<Int>()
            let observers = items.enumerated().map { index, item in
                Observer(.AVPlayerItemDidPlayToEndTime, object: item) { _ in ends.append(index) }
            }
            let start = machine.host.frame
            player.play()
            machine.runtime.drain()
            advance(toTheEndAnd: late)
            player.pause()
            machine.run(frames: 4800)
            counts[ends.entries.count] += 1
            #expect(player.rate == 0, "a paused queue stays paused: \(late)")
            player.play()
            machine.run(frames: 14_400)
            #expect(ends.entries == [0, 1], "\(late)")
            let sounding = machine.heard(since: start)[0].count { $0 != 0 }
            #expect(sounding <= 4800 + 2 * AppMachine.fade, "\(late)")
            player.removeAllItems()
            machine.run(frames: 960)
            withExtendedLifetime(observers) {}
        }
        #expect(counts.allSatisfy { $0 > 5 }, "both kinds of moments were there: \(counts)")
    }

    enum Pause: CaseIterable { case node, engine }

    @Test(arguments: Pause.allCases) func node_pausedNearTheEndOfABuffer_completesItOnce(pause: Pause) throws {
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let samples = (1...4800).map { Float($0) / 9600 }
        for late in Self.moments {
            let completions = History<String>()
            for type in [AVAudioPlayerNodeCompletionCallbackType.dataRendered, .dataPlayedBack] {
                let buffer = type == .dataRendered ? AVAudioPCMBuffer([samples]) : AVAudioPCMBuffer([[0.5]])
                player.scheduleBuffer(buffer, completionCallbackType: type) { completions.append("\($0)") }
            }
            let start = machine.host.frame
            player.play()
            advance(toTheEndAnd: late)
            switch pause {
            case .node: player.pause()
            case .engine: engine.pause()
            }
            machine.advance(frames: 4800)
            switch pause {
            case .node: break
            case .engine: try engine.start()
            }
            player.play()
            machine.advance(frames: 9600)
            #expect(completions.entries == ["dataRendered", "dataPlayedBack"], "\(late)")
            let sounding = machine.heard(since: start)[0].count { $0 != 0 }
            #expect(sounding <= 4801 + 2 * AppMachine.fade, "\(late)")
            player.stop()
            machine.advance(frames: 960)
        }
    }

    private final class Delegate: NSObject, AVAudioRecorderDelegate {
        let endings = History<Bool>()
        func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
            endings.append(flag)
        }
    }

    @Test func recorder_pausedNearItsLength_finishesOnceWithAllFrames() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        for (number, late) in Self.moments.enumerated() {
            let url = URL(filePath: machine.directory.path("\(number).wav"))
            let settings: [String: Any] = [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1,
            ]
            let recorder = try AVAudioSession.$taskSession.withValue(machine.session) {
                try AVAudioRecorder(url: url, settings: settings)
            }
            let delegate = Delegate()
            recorder.delegate = delegate
            #expect(recorder.record(forDuration: 0.1))
            machine.advance(frames: 4320)
            machine.host.advance(frames: 480 + late)
            recorder.pause()
            machine.advance(frames: 4800)
            if delegate.endings.entries.isEmpty {
                let left = 0.1 - recorder.currentTime
                #expect(recorder.record(forDuration: left), "\(late)")
                machine.advance(frames: 9600)
            }
            #expect(delegate.endings.entries == [true], "\(late)")
            // The rest in seconds is not always a whole number of frames.
            #expect(abs(try AVAudioFile(forReading: url).length - 4800) <= 1, "\(late)")
        }
    }
}
