import EngineCore
import HostPipeWire
import RenderBench
import TestSupport
import Testing

/// PipeWire's canceller in a room: how far the echo goes down.
@Suite struct EchoCancellerTests {
    /// Decibels by which each second of the echo is lowered.
    private func echoLoss(
        told: Double, room: EchoRoom, drift: Double = 0, seconds: Double = 5,
        change: (second: Int, room: EchoRoom)? = nil
    ) throws -> [Double] {
        let canceller = try PipeWireEchoCanceller(sampleRate: 48_000)
        let feed = VoiceFeed(
            canceller: canceller.function, sampleRate: 48_000, referenceRate: 48_000, maximumFrames: 1024)
        feed.setRoundTrip(seconds: told)
        let bench = DuplexBench(quantum: 1024)
        bench.drift = drift
        let far = EchoRoom.speech(seconds: seconds, seed: 7)
        var echo = room.echo(of: far)
        if let change {
            let first = change.second * 48_000
            echo.replaceSubrange(first..., with: change.room.echo(of: far)[first...])
        }
        if drift != 0 {
            echo = echo.indices.map { frame in
                let place = Double(frame) / (1 + drift * 1e-6)
                let (first, share) = (Int(place), Float(place - place.rounded(.down)))
                return first + 1 < echo.count ? echo[first] * (1 - share) + echo[first + 1] * share : 0
            }
        }
        bench.run(
            output: feed.keeping(bench.player), input: feed.cleaning(bench.recorder), played: far.map { $0 / 2 },
            captured: [echo])
        return (0..<Int(seconds)).map { second in
            let range = second * 48_000..<min((second + 1) * 48_000, bench.heard[0].count)
            return EchoRoom.decibels(echo[range]) - EchoRoom.decibels(bench.heard[0][range])
        }
    }

    /// Issue 22's limit.
    @Test func echo_isLoweredBy40Decibels_from2SecondsOn() throws {
        let loss = try echoLoss(told: 0.04, room: EchoRoom())
        #expect(loss[2...].allSatisfy { $0 >= 40 }, "\(loss)")
    }

    @Test func echo_isLoweredBy30Decibels_withClocks100PartsPerMillionApart() throws {
        let loss = try echoLoss(told: 0.04, room: EchoRoom(), drift: 100)
        #expect(loss[2...].allSatisfy { $0 >= 30 }, "\(loss)")
    }

    /// To a device that the host does not know the latency of, 80 ms later.
    @Test func echo_isLoweredAgain_2SecondsAfterTheRouteHasChanged() throws {
        var other = EchoRoom()
        (other.delaySeconds, other.seed) = (0.1, 99)
        let loss = try echoLoss(told: 0.04, room: EchoRoom(), seconds: 8, change: (4, other))
        #expect(loss[6...].allSatisfy { $0 >= 40 }, "\(loss)")
    }

    @Test func rateThatHasNoBlocksOf10Milliseconds_isRefused() {
        let error = #expect(throws: (any Error).self) { try PipeWireEchoCanceller(sampleRate: 22_050.5) }
        #expect("\(String(describing: error))".contains("libspa-0.2-modules"))
    }
}
