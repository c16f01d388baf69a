import CoreMedia
import Dispatch
import Foundation
import RuntimeTestSupport
import SessionRest
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import SessionRuntime

@MainActor @Suite struct TimeObserverTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    @Test(arguments: [true, false]) func periodicObserver_hearsEachInterval_startsAndJumps(isMain: Bool) throws {
        let player = try machine.avPlayer(seconds: 3)
        let times = History<Double>()
        let token = player.addPeriodicTimeObserver(forInterval: CMTime(0.1), queue: isMain ? .main : nil) {
            #expect(MainThread.isCurrent)
            times.append($0.seconds)
        }
        player.play()
        machine.run(frames: 24_480)
        // The start, and each tenth of a second.
        #expect(times.entries.first == 0)
        #expect(times.entries.filter { $0 > 0 } == [0.1, 0.2, 0.3, 0.4, 0.5])
        let count = times.count
        player.seek(to: CMTime(2))
        machine.runtime.drain()
        #expect(times.entries.dropFirst(count).contains(2))
        player.pause()
        machine.run(frames: 4800)
        player.removeTimeObserver(token)
        let last = times.count
        player.play()
        machine.run(frames: 24_000)
        #expect(times.count == last)
    }

    @Test func periodicObserver_runsOnItsQueue() throws {
        let player = try machine.avPlayer(seconds: 3)
        let queue = DispatchQueue(label: "observers")
        let times = History<Double>()
        let token = player.addPeriodicTimeObserver(forInterval: CMTime(0.25), queue: queue) {
            dispatchPrecondition(condition: .onQueue(queue))
            times.append($0.seconds)
        }
        player.play()
        machine.run(frames: 48_480)
        queue.sync {}
        #expect(times.entries.filter { $0 > 0 } == [0.25, 0.5, 0.75, 1])
        player.removeTimeObserver(token)
    }

    @Test func boundaryObserver_hearsWhatIsPassed_andNotWhatIsJumpedOver() throws {
        let player = try machine.avPlayer(seconds: 3)
        let passed = History<Double>()
        let times = [0.2, 0.5, 1.5, 2.5].map { NSValue(time: CMTime($0)) }
        let token = player.addBoundaryTimeObserver(forTimes: times, queue: nil) { [weak player] in
            passed.append(player?.currentTime().seconds ?? -1)
        }
        player.play()
        machine.run(frames: 28_800)
        #expect(passed.count == 2)
        player.seek(to: CMTime(2))
        machine.run(frames: 19_200)
        #expect(passed.count == 2)
        machine.run(frames: 9600)
        #expect(passed.count == 3)
        #expect(zip(passed.entries, [0.2, 0.5, 2.5]).allSatisfy { ($1...($1 + 0.03)).contains($0) })
        player.removeTimeObserver(token)
        player.removeTimeObserver("not a token")
    }
}
