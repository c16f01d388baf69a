import AudioModel
import SessionCore
import Testing

/// What an app would like is kept, asked of the host where that can do something about it, and forgotten with the server.
@Suite struct WishesTests {
    private static let wishes: SessionWishes = {
        var wishes = SessionWishes()
        wishes.ioBufferDuration = 0.005
        wishes.sampleRate = 44_100
        wishes.allowsHapticsDuringRecording = true
        wishes.prefersNoInterruptionsFromAlerts = true
        return wishes
    }()

    @Test func wishes_areKept_andTheHostHearsOfANewCycleOnce() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        var call = bench.call()
        #expect(bench.feed(.wishesStated(call, Self.wishes)) == [.preferCycle(seconds: 0.005), .reply(call, nil)])
        #expect(bench.state.wishes == Self.wishes)
        call = bench.call()
        #expect(bench.feed(.wishesStated(call, Self.wishes)) == [.reply(call, nil)])
        call = bench.call()
        #expect(
            bench.feed(.wishesStated(call, SessionWishes())) == [.preferCycle(seconds: 0), .reply(call, nil)])
    }

    @Test(arguments: [-1, -Double.leastNonzeroMagnitude, .infinity, .nan])
    func wishes_thatAreNoAmounts_areRefused(_ amount: Double) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.wishesStated(bench.call(), Self.wishes))
        for key in [\SessionWishes.ioBufferDuration, \.sampleRate] {
            var wishes = SessionWishes()
            wishes[keyPath: key] = amount
            let error = bench.feed(.wishesStated(bench.call(), wishes)).replyError()
            #expect(error?.code == .badParam)
            #expect(error?.message.contains("\(amount)") == true)
        }
        #expect(bench.state.wishes == Self.wishes)
    }

    @Test func wishes_goWithTheServer() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.wishesStated(bench.call(), Self.wishes))
        bench.feed(.connectionLost)
        let refused = bench.feed(.wishesStated(bench.call(), SessionWishes()))
        #expect(refused.replyError()?.code == .mediaServicesFailed)
        #expect(bench.state.wishes == Self.wishes)
        bench.feed(.connectionRestored)
        #expect(bench.state.wishes == SessionWishes())
    }
}
