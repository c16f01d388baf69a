import AudioModel
import SessionCore
import Testing

/// Configuration requests to the machine: what is accepted, what is posted.
struct ConfigurationTests {
    @Test func refusedConfiguration_whileAnotherIsSet_changesNothing() {
        var bench = Bench([Ports.speaker])
        let before = bench.state
        let effects = bench.configure(SessionConfiguration(category: .playback, options: .defaultToSpeaker))
        #expect(effects.replyError()?.code == .badParam)
        #expect(effects.count == 1)
        #expect(bench.state == before)
        #expect(
            bench.configure(SessionConfiguration(category: .multiRoute, mode: .dualRoute)).replyError()?.code
                == .badParam)
        #expect(bench.state == before)
    }

    // Behaviour 10
    @Test func settingCategoryInsideHandlerDoesNotLoop() {
        var bench = Bench([Ports.speaker], category: .soloAmbient)
        let wanted = SessionConfiguration(category: .playback)
        // A handler that sets the same category at each event it gets.
        var handled = 0
        var effects = bench.configure(wanted)
        while effects.change != nil, handled < 10 {
            handled += 1
            effects = bench.configure(wanted)
        }
        #expect(handled == 1)
        #expect(effects == [.reply(CallID(number: 2), nil)])
        #expect(bench.reasons == [.categoryChange])
    }

    // Behaviour 9
    @Test func categoryChangeIgnoredByPlayer() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        let stream = bench.open()
        for category in [SessionCategory.ambient, .playAndRecord, .soloAmbient, .playback] {
            let effects = bench.configure(SessionConfiguration(category: category))
            #expect(effects.change?.reason == .categoryChange)
            #expect(!effects.contains { if case .pausePlayer = $0 { true } else { false } })
        }
        #expect(bench.state.streams.map(\.id) == [stream])
        #expect(bench.state.streams[0].ports == [Ports.speaker])
    }

    @Test func newCategory_whileThePortsStay_isPostedWithTheSameRoute() {
        var bench = Bench([Ports.speaker], category: .soloAmbient)
        let change = bench.configure(SessionConfiguration(category: .playback)).change
        #expect(change?.reason == .categoryChange)
        #expect(change?.previous == change?.current)
        #expect(change?.current.outputs == [Ports.speaker])
    }

    @Test func newModeOrOptions_whileThePortsStay_arePostedNever() {
        var bench = Bench([Ports.speaker])
        #expect(bench.configure(SessionConfiguration(category: .playback, mode: .moviePlayback)).count == 1)
        #expect(bench.configure(SessionConfiguration(category: .playback, options: .duckOthers)).count == 1)
        #expect(bench.configure(SessionConfiguration(category: .playback, policy: .longFormAudio)).count == 1)
        #expect(bench.routeChanges.isEmpty)
    }

    @Test func newOptions_thatMoveTheRoute_areACategoryChange() {
        var bench = Bench([Ports.speaker, Ports.receiver], category: .playAndRecord)
        #expect(bench.state.route.outputs == [Ports.receiver])
        let stream = bench.open()
        let effects = bench.configure(SessionConfiguration(category: .playAndRecord, options: .defaultToSpeaker))
        #expect(effects.silent.first == .linkStream(stream, [Ports.speaker]))
        #expect(effects.change?.reason == .categoryChange)
        #expect(effects.change?.current.outputs == [Ports.speaker])
    }

    @Test func categoryWithoutAPort_isNoSuitableRoute() {
        var bench = Bench([Ports.speaker])
        let stream = bench.open()
        let effects = bench.configure(SessionConfiguration(category: .record))
        #expect(effects.silent.count == 3)
        #expect(effects.silent.starts(with: [.pausePlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
        #expect(effects.change?.reason == .noSuitableRouteForCategory)
        #expect(effects.change?.current == .empty)

        let back = bench.configure(SessionConfiguration(category: .playback))
        #expect(back.silent.first == .linkStream(stream, [Ports.speaker]))
        #expect(back.change?.reason == .categoryChange)
    }

    @Test func playAndRecordWithoutAMicrophone_hasASuitableRoute() {
        var bench = Bench([Ports.speaker])
        let change = bench.configure(SessionConfiguration(category: .playAndRecord)).change
        #expect(change?.reason == .categoryChange)
        #expect(change?.current == Route(outputs: [Ports.speaker]))
    }

    @Test func calls_beforeTheFirstInventory_areAnsweredAndNothingIsPosted() {
        var bench = Bench()
        #expect(bench.configure(SessionConfiguration(category: .playback)).count == 1)
        #expect(bench.plug([Ports.speaker, Ports.mic]) == [])
        #expect(bench.state.route == Route(outputs: [Ports.speaker]))
        bench.configure(SessionConfiguration(category: .ambient))
        #expect(bench.reasons == [.categoryChange])
    }
}
