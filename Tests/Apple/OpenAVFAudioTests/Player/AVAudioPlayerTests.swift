import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Apple's player on the simulated host; what it is made of is tested as `FilePlayer`.
@MainActor @Suite struct AVAudioPlayerTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private final class Delegate: NSObject, AVAudioPlayerDelegate {
        let endings = History<Bool>()
        let errors = History<String>()
        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            #expect(MainThread.isCurrent)
            endings.append(flag)
        }
        func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
            errors.append(error?.localizedDescription ?? "")
        }
    }

    private func player(seconds: Double = 0.1) throws -> AVAudioPlayer { try machine.audioPlayer(seconds: seconds) }

    @Test func play_isTheFile_andTheDelegateHearsOfItsEnd() throws {
        let player = try player()
        let delegate = Delegate()
        player.delegate = delegate
        #expect((player.duration, player.numberOfChannels, player.format.sampleRate) == (0.1, 2, 48_000))
        #expect(player.settings[AVSampleRateKey] as? Double == 48_000)
        #expect(!player.isPlaying)
        let start = machine.host.frame
        #expect(player.play())
        machine.advance(frames: 2400)
        #expect(player.isPlaying)
        #expect(player.currentTime == 0.05)
        machine.advance(frames: 4800)
        #expect(!player.isPlaying)
        #expect(player.currentTime == 0)
        #expect(machine.heard(since: start).map { Array($0.prefix(4800)) } == TestSignal.ramp.planar(0..<4800))
        #expect(delegate.endings.entries == [true])
        #expect(delegate.errors.entries == [])
    }

    @Test func data_playsAsTheFileDoes() throws {
        let path = try TestFile.write(.ramp, seconds: 0.1, format: .flac16, in: machine.directory)
        let data = try Data(contentsOf: URL(filePath: path))
        let player = try AVAudioSession.$taskSession.withValue(machine.session) {
            try AVAudioPlayer(data: data, fileTypeHint: "public.flac")
        }
        #expect(player.data == data)
        #expect(player.url == nil)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
    }

    @Test(arguments: [1, 2, 5]) func numberOfLoops_repeatsWithoutAGap(loops: Int) throws {
        let player = try player()
        player.numberOfLoops = loops
        let delegate = Delegate()
        player.delegate = delegate
        for _ in 0..<2 {
            let start = machine.host.frame
            player.play()
            machine.advance(frames: 4800 * loops + 2400)
            #expect(player.isPlaying)
            #expect(player.currentTime == 0.05)
            machine.advance(frames: 4800)
            #expect(!player.isPlaying)
            let rounds = (0...loops).map { _ in TestSignal.ramp.planar(0..<4800) }
            let expected = (0..<2).map { channel in rounds.flatMap { $0[channel] } }
            #expect(machine.heard(since: start).map { Array($0.prefix(4800 * (loops + 1))) } == expected)
        }
        #expect(player.numberOfLoops == loops)
        #expect(delegate.endings.entries == [true, true])
    }

    @Test func negativeNumberOfLoops_playsOn_untilItIsTakenBack() throws {
        let player = try player()
        player.prepareToPlay()
        player.numberOfLoops = -1
        player.play()
        machine.advance(frames: 480_000)
        #expect(player.isPlaying)
        player.currentTime = 0.025
        machine.advance(frames: 2400)
        // The old place fades out first.
        #expect(player.currentTime == Double(1200 + 2400 - AppMachine.fade) / 48_000)
        player.numberOfLoops = 0
        // Rounds that began less than 0.25 s ahead are still to come.
        machine.advance(frames: 12_000 + 4800 + 480)
        #expect(!player.isPlaying)
    }

    /// Although much more has been read ahead than is left of the round.
    @Test(arguments: [(-1, 0), (0, 2), (3, 1)])
    func numberOfLoops_changedBeforeTheEndOfARound_holdsForIt(before: Int, after: Int) throws {
        let player = try player(seconds: 0.5)
        player.numberOfLoops = before
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 11_520)
        player.numberOfLoops = after
        machine.advance(frames: 24_000 * (after + 1))
        #expect(!player.isPlaying)
        let round = TestSignal.ramp.planar(0..<24_000)
        let heard = machine.heard(since: start)
        for channel in 0..<2 {
            let rounds = Array((0...after).map { _ in round[channel] }.joined())
            #expect(Array(heard[channel].prefix(rounds.count)) == rounds)
            #expect(heard[channel].dropFirst(rounds.count).allSatisfy { $0 == 0 })
        }
    }

    @Test func emptyFile_withLoops_ends() throws {
        let player = try player(seconds: 0)
        player.numberOfLoops = -1
        player.play()
        machine.advance(frames: 4800)
        #expect(!player.isPlaying)
    }

    @Test func stopAndPause_keepThePlace_andTheDelegateHearsNothing() throws {
        let player = try player(seconds: 1)
        let delegate = Delegate()
        player.delegate = delegate
        player.pause()
        player.play()
        machine.advance(frames: 4800)
        player.stop()
        machine.advance(frames: 4800)
        let place = player.currentTime
        #expect(place == Double(4800 + AppMachine.fade) / 48_000)
        player.currentTime = 0.5
        player.play()
        machine.advance(frames: 4800)
        #expect(player.currentTime == 0.6)
        #expect(delegate.endings.entries == [])
    }

    @Test func headphonesThatLeave_pauseIt_andNothingReachesTheSpeaker() throws {
        let player = try player(seconds: 1)
        player.play()
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        machine.advance(frames: 4800)
        #expect(!player.isPlaying)
        #expect(machine.heard(on: AppMachine.speaker).allSatisfy { $0.allSatisfy { $0 == 0 } })
    }

    /// From several threads at once, as an app may; in a process of its own, which a race would end.
    @Test func delegate_setOnManyThreads_isOneOfThem() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) let player = AVAudioPlayer()
            nonisolated(unsafe) let recorder = AVAudioRecorder()
            nonisolated(unsafe) let first = SilentDelegate()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<300_000 {
                    (player.delegate, recorder.delegate) = (first, first)
                    (player.delegate, recorder.delegate) = (nil, nil)
                }
            }
            let last = SilentDelegate()
            (player.delegate, recorder.delegate) = (last, last)
            #expect(player.delegate === last)
            #expect(recorder.delegate === last)
        }
    }

    @Test(arguments: [false, true]) func play_afterARefusedStream_opensTheSoundAnew(isData: Bool) throws {
        let path = try TestFile.write(.ramp, seconds: 0.1, in: machine.directory)
        let player = try AVAudioSession.$taskSession.withValue(machine.session) {
            isData
                ? try AVAudioPlayer(data: Data(contentsOf: URL(filePath: path)))
                : try AVAudioPlayer(contentsOf: URL(filePath: path))
        }
        for _ in 0..<2 {
            machine.host.failNextOpen(with: .refused("the server has no more streams"))
            #expect(!player.play())
        }
        #expect(player.play())
        let start = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
    }

    @Test func playerOfNothing_answersFalse() {
        let player = AVAudioPlayer()
        player.volume = 0.5
        player.currentTime = 1
        #expect(!player.prepareToPlay())
        #expect(!player.play())
        player.stop()
        #expect(!player.isPlaying)
        #expect((player.duration, player.currentTime, player.volume) == (0, 0, 0.5))
        #expect((player.url, player.data) == (nil, nil))
        #expect((player.numberOfChannels, player.format.sampleRate) == (0, 0))
    }

    @Test func playerThatIsOnlyMade_hasNoStream() throws {
        let player = try player()
        #expect(machine.runtime.state.streams.isEmpty)
        player.volume = 0.5
        player.numberOfLoops = 1
        #expect(machine.runtime.state.streams.isEmpty)
        #expect(player.prepareToPlay())
        #expect(machine.runtime.state.streams.count == 1)
    }

    @Test func incompleteFile_playsAsFarAsItGoes_andTheDelegateHearsWhy() throws {
        let player = try machine.audioPlayer(at: TestFile.truncated(seconds: 1, in: machine.directory))
        let delegate = Delegate()
        player.delegate = delegate
        player.play()
        machine.advance(frames: 60_000)
        #expect(!player.isPlaying)
        #expect(delegate.endings.entries == [false])
        #expect(delegate.errors.entries.count == 1)
        #expect(!player.play())
    }

    @Test func whatIsNoSound_throws() throws {
        let letter = try TestFile.notAudio(in: machine.directory)
        let errors = [
            #expect(throws: NSError.self) { try machine.audioPlayer(at: letter) },
            #expect(throws: NSError.self) { try machine.audioPlayer(at: "/nowhere/song.wav") },
            #expect(throws: NSError.self) {
                try AVAudioPlayer(contentsOf: URL(string: "https://example.org/song.wav")!)
            },
            #expect(throws: NSError.self) { try AVAudioPlayer(data: Data()) },
            #expect(throws: NSError.self) { try AVAudioPlayer(data: Data("Dear Sir or Madam".utf8)) },
        ]
        #expect(errors.map { $0?.domain } == Array(repeating: NSOSStatusErrorDomain, count: errors.count))
        #expect(errors[1]?.code == 2_003_334_207, "'wht?' for a file that does not exist")
        #expect(errors[0]?.code == Int(kAudioFileUnsupportedFileTypeError))
    }

    /// The end of the server is not the end of the sound.
    @Test func lossOfMediaServices_isNoEndForTheDelegate() throws {
        let player = try player()
        let delegate = Delegate()
        player.delegate = delegate
        #expect(player.play())
        machine.advance(frames: 4800)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(!player.isPlaying)
        #expect(delegate.endings.entries == [])
        #expect(delegate.errors.entries == [])
    }

    @Test func recordCategory_doesNotPlay() throws {
        try machine.session.setCategory(.record)
        #expect(try !player().play())
    }
}

private final class SilentDelegate: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {}
