import GuardCore
import GuardRuntime
import HostSimulated
import SimulatedControls
import Testing

struct OutputChoiceTests {
    @Test func forget_takesTheChoiceBack() throws {
        let machine = SimulatedHost(.speaker)
        machine.plug(.wiredHeadphones)
        let server = SimulatedGuardServer()
        server.configured = SimulatedDevice.builtInSpeaker.uid
        let choice = try OutputChoice(host: SimulatedGuardHost(machine, server: server, isObserving: true))
        #expect(choice.outputs?.ranking.configured == SimulatedDevice.builtInSpeaker.uid)
        #expect(choice.outputs?.outputs.count == 2)
        let outputs = try #require(choice.forget())
        #expect(outputs.ranking.configured == nil && server.configured == nil)
    }
}
