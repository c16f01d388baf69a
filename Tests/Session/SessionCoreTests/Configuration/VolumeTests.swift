import AudioModel
import SessionCore
import Testing

/// Volumes of ports, and the app's own mute switches.
@Suite struct VolumeTests {
    private func inventory(_ port: Port, _ volume: PortVolume) -> SessionFact {
        let ports = [Ports.speaker, Ports.mic]
        return .host(
            .inventoryChanged(
                Inventory(
                    ports: ports, defaultOutputUID: Ports.speaker.uid, volumes: [port.uid: volume])))
    }

    @Test func volumeChange_alone_isNoRouteChange() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        #expect(bench.feed(inventory(Ports.speaker, PortVolume(level: 0.3))) == [])
        #expect(bench.state.inventory.volumes[Ports.speaker.uid]?.level == 0.3)
    }

    @Test func volume_outsideOfItsRange_isTheNearest() {
        #expect([-1, 0.5, 2, .nan].map { PortVolume(level: $0).level } == [0, 0.5, 1, 0])
        #expect(PortVolume(level: 0.5, isMuted: true).audibleLevel == 0)
    }

    @Test func inputGain_isSetOnTheInputInUse_andKeepsItsMute() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .playAndRecord))
        bench.feed(inventory(Ports.mic, PortVolume(level: 1, isMuted: true)))
        let call = bench.call()
        #expect(
            bench.feed(.inputGainRequested(call, 0.25)) == [
                .setPortVolume(call, uid: Ports.mic.uid, PortVolume(level: 0.25, isMuted: true))
            ])
        #expect(bench.feed(.inputGainRequested(bench.call(), .nan)).replyError()?.code == .badParam)
    }

    @Test func inputGain_withoutInputOrVolume_isRefused() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        #expect(bench.feed(.inputGainRequested(bench.call(), 1)).replyError()?.code == .incompatibleCategory)
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(bench.feed(.inputGainRequested(bench.call(), 1)).replyError()?.code == .resourceNotAvailable)
    }

    @Test func outputMute_silencesOutputsOnly_untilAModeForbidsIt() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .playAndRecord))
        let (output, input) = (StreamID(number: 91), StreamID(number: 92))
        bench.feed(.streamOpened(output, StreamPolicy()))
        bench.feed(.streamOpened(input, StreamPolicy(direction: .input)))
        var call = bench.call()
        #expect(
            bench.feed(.outputMuteRequested(call, true)) == [
                .setGain(output, 0), .postOutputMuteChange(true), .reply(call, nil),
            ])
        call = bench.call()
        #expect(bench.feed(.outputMuteRequested(call, true)) == [.reply(call, nil)])
        call = bench.call()
        let effects = bench.feed(
            .configurationRequested(call, SessionConfiguration(category: .playAndRecord, mode: .voiceChat)))
        #expect(effects.contains(.setGain(output, 1)) && effects.contains(.postOutputMuteChange(false)))
        #expect(bench.feed(.outputMuteRequested(bench.call(), true)).replyError()?.code == .incompatibleCategory)
    }

    @Test func inputMute_silencesInputsOnly_alsoThoseOpenedLater() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        let (output, input) = (StreamID(number: 91), StreamID(number: 92))
        bench.configure(SessionConfiguration(category: .playAndRecord))
        bench.feed(.streamOpened(output, StreamPolicy()))
        let call = bench.call()
        #expect(bench.feed(.inputMuteRequested(call, true)) == [.postInputMuteChange(true), .reply(call, nil)])
        #expect(bench.feed(.streamOpened(input, StreamPolicy(direction: .input))).contains(.setGain(input, 0)))
    }

    @Test func raisedVolume_whileTheAppIsMuted_isTheUsersIntent() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        bench.feed(inventory(Ports.speaker, PortVolume(level: 0.3)))
        bench.feed(.outputMuteRequested(bench.call(), true))
        #expect(bench.feed(inventory(Ports.speaker, PortVolume(level: 0.2))) == [])
        #expect(bench.feed(inventory(Ports.speaker, PortVolume(level: 0.4))) == [.postUserIntentToUnmute])
        #expect(bench.feed(inventory(Ports.speaker, PortVolume(level: 0.4, isMuted: true))) == [])
        bench.feed(.outputMuteRequested(bench.call(), false))
        #expect(bench.feed(inventory(Ports.speaker, PortVolume(level: 0.9))) == [])
    }
}
