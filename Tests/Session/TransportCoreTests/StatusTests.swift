import AudioModel
import Testing

@testable import TransportCore

/// What a status holds, field by field: a comparison of two statuses does not see a field that neither has.
struct StatusTests {
    @Test func status_holdsWhatItIsGiven() {
        let failure = TransportFailure.file("broken")
        let status = TransportStatus(
            .failed, .error, playWhenReady: true, suppression: .noSuitableRoute, failure: failure)
        #expect(status.state == .failed)
        #expect(status.cause == .error)
        #expect(status.playWhenReady)
        #expect(status.suppression == .noSuitableRoute)
        #expect(status.failure == failure)
    }

    @Test func status_ofAStateAlone_isTheUsersAndWithoutIntent() {
        let status = TransportStatus(.ready)
        #expect(status.cause == .user)
        #expect(!status.playWhenReady)
        #expect(status.suppression == nil)
        #expect(status.failure == nil)
        #expect(status.message == nil)
        #expect(status.errorCode == nil)
    }

    @Test(arguments: [Suppression.interruption, .noSuitableRoute])
    func suppressedPlayer_namesTheObstacle(suppression: Suppression) {
        var machine = TransportMachine(.player)
        _ = machine.apply(.streamOpened(.output))
        _ = machine.apply(.suppressed(.output, suppression))
        #expect(machine.status.state == .paused)
        #expect(machine.status.suppression == suppression)
        #expect(machine.status.cause == TransportStatus.Cause(suppression.pauseCause))
        #expect(machine.status.playWhenReady)
    }

    @Test func failure_ofTheSession_hasItsWordsAndCode_andThatOfAFileWordsAlone() {
        var machine = TransportMachine(.player)
        _ = machine.apply(.streamOpened(.output))
        _ = machine.apply(.failed(SessionError(.resourceNotAvailable, "gone")))
        #expect(machine.status.message == "gone")
        #expect(machine.status.errorCode == .resourceNotAvailable)
        let status = TransportStatus(.failed, .error, failure: .file("broken"))
        #expect(status.message == "broken")
        #expect(status.errorCode == nil)
    }

    @Test func cause_ofAPause_isThatCause() {
        let all: [(PauseCause, TransportStatus.Cause)] = [
            (.oldDeviceUnavailable, .oldDeviceUnavailable), (.newDeviceAvailable, .newDeviceAvailable),
            (.noSuitableRoute, .noSuitableRoute), (.user, .user), (.interruption, .interruption),
            (.deactivation, .deactivation), (.refusal, .refusal),
        ]
        #expect(all.count == PauseCause.allCases.count)
        for (cause, status) in all { #expect(TransportStatus.Cause(cause).rawValue == status.rawValue) }
    }
}
