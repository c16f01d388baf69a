import AudioModel
import SessionCore
import Testing

/// What an app would like is kept, asked of the host where that can do something about it, and forgotten with the server.
@Suite struct PreferredSettingsTests {
    private static let wishes: PreferredSettings = {
        var wishes = PreferredSettings()
        wishes.ioBufferDuration = 0.005
        wishes.sampleRate = 44_100
        wishes.allowsHapticsDuringRecording = true
        wishes.prefersNoInterruptionsFromAlerts = true
        return wishes
    }()

    @Test func wishes_areKept_andTheHostHearsOfANewCycleOnce() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        var call = bench.call()
        #expect(bench.feed(.preferencesStated(call, Self.wishes)) == [.preferCycle(seconds: 0.005), .reply(call, nil)])
        #expect(bench.state.preferredSettings == Self.wishes)
        call = bench.call()
        #expect(bench.feed(.preferencesStated(call, Self.wishes)) == [.reply(call, nil)])
        call = bench.call()
        #expect(
            bench.feed(.preferencesStated(call, PreferredSettings())) == [.preferCycle(seconds: 0), .reply(call, nil)])
    }

    @Test(arguments: [-1, -Double.leastNonzeroMagnitude, .infinity, .nan])
    func wishes_thatAreNoAmounts_areRefused(_ amount: Double) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.preferencesStated(bench.call(), Self.wishes))
        for key in [\PreferredSettings.ioBufferDuration, \.sampleRate] {
            var wishes = PreferredSettings()
            wishes[keyPath: key] = amount
            let error = bench.feed(.preferencesStated(bench.call(), wishes)).replyError()
            #expect(error?.code == .badParam)
            #expect(error?.message.contains("\(amount)") == true)
        }
        #expect(bench.state.preferredSettings == Self.wishes)
    }

    @Test func wishes_goWithTheServer() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.preferencesStated(bench.call(), Self.wishes))
        bench.feed(.host(.connectionLost("gone")))
        let refused = bench.feed(.preferencesStated(bench.call(), PreferredSettings()))
        #expect(refused.replyError()?.code == .mediaServicesFailed)
        #expect(bench.state.preferredSettings == Self.wishes)
        bench.feed(.host(.connectionRestored))
        #expect(bench.state.preferredSettings == PreferredSettings())
    }
}
