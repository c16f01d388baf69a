import AudioModel
import SessionCore
import Testing

/// What an app would like is kept, asked of the host where that can do something about it, and forgotten with the server.
@Suite struct PreferredSettingsTests {
    private static let preferred: PreferredSettings = {
        var preferred = PreferredSettings()
        preferred.ioBufferDuration = 0.005
        preferred.sampleRate = 44_100
        preferred.allowsHapticsDuringRecording = true
        preferred.prefersNoInterruptionsFromAlerts = true
        return preferred
    }()

    @Test func preferredSettings_areKept_andTheHostHearsOfANewCycleOnce() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        var call = bench.call()
        #expect(
            bench.feed(.preferencesStated(call, Self.preferred)) == [.preferCycle(seconds: 0.005), .reply(call, nil)])
        #expect(bench.state.preferredSettings == Self.preferred)
        call = bench.call()
        #expect(bench.feed(.preferencesStated(call, Self.preferred)) == [.reply(call, nil)])
        call = bench.call()
        #expect(
            bench.feed(.preferencesStated(call, PreferredSettings())) == [.preferCycle(seconds: 0), .reply(call, nil)])
    }

    @Test(arguments: [-1, -Double.leastNonzeroMagnitude, .infinity, .nan])
    func preferredSettings_thatAreNoAmounts_areRefused(_ amount: Double) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.preferencesStated(bench.call(), Self.preferred))
        for key in [\PreferredSettings.ioBufferDuration, \.sampleRate] {
            var preferred = PreferredSettings()
            preferred[keyPath: key] = amount
            let error = bench.feed(.preferencesStated(bench.call(), preferred)).replyError()
            #expect(error?.code == .badParam)
            #expect(error?.message.contains("\(amount)") == true)
        }
        #expect(bench.state.preferredSettings == Self.preferred)
    }

    @Test func preferredSettings_goWithTheServer() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.preferencesStated(bench.call(), Self.preferred))
        bench.feed(.host(.connectionLost("gone")))
        let refused = bench.feed(.preferencesStated(bench.call(), PreferredSettings()))
        #expect(refused.replyError()?.code == .mediaServicesFailed)
        #expect(bench.state.preferredSettings == Self.preferred)
        bench.feed(.host(.connectionRestored))
        #expect(bench.state.preferredSettings == PreferredSettings())
    }

    @Test func preferredSettings_atFirst_areNone() {
        let none = PreferredSettings()
        #expect(none.ioBufferDuration == 0 && none.sampleRate == 0 && none.inputOrientation == 0)
        #expect(!none.allowsHapticsDuringRecording && !none.prefersNoInterruptionsFromAlerts)
        #expect(!none.supportsMultichannelContent && !none.prefersEchoCancelledInput)
        #expect(SessionMachine().state.preferredSettings == none)
    }

    // MARK: Numbers of channels

    @Test func channels_upToThoseOfTheRoute_arePreferred() {
        var bench = Bench([Ports.hdmi, Ports.mic], output: Ports.hdmi, category: .playAndRecord)
        for (direction, maximum) in [(PortDirection.output, 8), (.input, 1)] {
            for count in [0, 1, maximum] {
                let call = bench.call()
                #expect(bench.feed(.channelCountPreferred(call, direction, count)) == [.reply(call, nil)])
                #expect(bench.state.preferredChannels[direction] == count)
            }
            for count in [-1, maximum + 1] {
                let error = bench.feed(.channelCountPreferred(bench.call(), direction, count)).replyError()
                #expect(error?.code == .badParam)
                #expect(
                    error?.message
                        == "\(count) \(direction) channels cannot be preferred. Allowed: 0 (no preference) to \(maximum), what "
                        + "the route has. Choose one of these.")
            }
        }
        #expect(bench.state.preferredChannels == [.output: 8, .input: 1])
    }

    @Test func channels_inADirectionThatTheCategoryHasNot_areRefused() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        var error = bench.feed(.channelCountPreferred(bench.call(), .input, 0)).replyError()
        #expect(error?.code == .incompatibleCategory)
        #expect(
            error?.message
                == "Category playback has no input, so no number of channels can be preferred for it. Set record, "
                + "playAndRecord or multiRoute first.")
        bench.configure(SessionConfiguration(category: .record))
        error = bench.feed(.channelCountPreferred(bench.call(), .output, 0)).replyError()
        #expect(
            error?.message
                == "Category record has no output, so no number of channels can be preferred for it. Set playback first."
        )
        #expect(bench.state.preferredChannels.isEmpty)
    }

    @Test func channels_goWithTheServer() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.channelCountPreferred(bench.call(), .output, 1))
        bench.feed(.host(.connectionLost("gone")))
        let refused = bench.feed(.channelCountPreferred(bench.call(), .output, 2))
        #expect(refused.replyError()?.code == .mediaServicesFailed)
        #expect(bench.state.preferredChannels == [.output: 1])
        bench.feed(.host(.connectionRestored))
        #expect(bench.state.preferredChannels.isEmpty)
    }
}
