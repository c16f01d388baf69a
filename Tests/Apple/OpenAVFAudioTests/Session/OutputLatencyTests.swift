import AudioRuntime
import RuntimeTestSupport
import TestAudio
import Testing

@testable import OpenAudioSession

@Suite struct OutputLatencyTests {
    @Test func outputLatency_isThatOfTheStreamThatPlays() throws {
        let machine = try AppMachine(quantum: 480)
        let session = machine.session
        #expect(session.outputLatency == 0)
        let player = try machine.player(try TestFile.write(.ramp, in: machine.directory))
        try player.play()
        #expect(session.outputLatency == 0.01)
        player.close()
        #expect(session.outputLatency == 0)
    }
}
