import GuardCore
import Testing

@testable import GuardRuntime

@Suite struct GuardFocusClaimTests {
    @Test func requestsBeforeTheAnswer_areOneClaim_theNewest() {
        var claim = GuardFocusClaim()
        #expect(claim.request(.duck) == .init(made: .duck, tag: 1))
        #expect(claim.request(nil) == nil)
        #expect(claim.request(.pause) == nil)
        #expect(claim.answered(7) == nil)
        #expect(claim.answered(1) == .init(made: .pause, tag: 2, withdrawn: 1))
        #expect(claim.answered(1) == nil)
        #expect(claim.answered(2) == nil)
        #expect(claim.request(nil) == .init(made: nil, tag: 3, withdrawn: 2))
        #expect(claim.request(.call) == .init(made: .call, tag: 4))
    }

    @Test func claimThatCouldNotBeMade_doesNotKeepTheNextOneWaiting() {
        var claim = GuardFocusClaim()
        #expect(claim.request(.duck)?.tag == 1)
        claim.failed(1)
        #expect(claim.request(.pause) == .init(made: .pause, tag: 2, withdrawn: 1))
        claim.failed(1)
        #expect(claim.request(.call) == nil)
        #expect(claim.answered(2) == .init(made: .call, tag: 3, withdrawn: 2))
    }
}
