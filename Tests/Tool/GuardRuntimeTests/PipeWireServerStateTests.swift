import AudioModel
import Testing

@testable import GuardRuntime
@testable import HostPipeWire

/// What the connections of the guard and of a hold of the focus know of their server.
@Suite struct PipeWireServerStateTests {
    /// The facts of a message, and the requests for the loop.
    private struct Answer: Equatable {
        var facts: [PipeWireServerState.Fact]
        var requests: [PipeWireServerState.Request]

        init(_ facts: [PipeWireServerState.Fact], _ requests: [PipeWireServerState.Request]) {
            (self.facts, self.requests) = (facts, requests)
        }
    }

    private static func receive(
        _ input: PipeWireServerState.Input, _ state: inout PipeWireServerState, at time: HostTime = .zero
    ) -> Answer {
        let facts = state.receive(input, at: time)
        return Answer(facts, state.takeRequests())
    }

    private static func settled(readsMetadata: Bool = true, readsRanking: Bool = true) -> PipeWireServerState {
        var state = PipeWireServerState(readsMetadata: readsMetadata, readsRanking: readsRanking)
        state.changed()
        #expect(receive(.message(.ownClient(1)), &state) == Answer([], [.sync(.burst)]))
        #expect(receive(.answered(.burst), &state) == Answer([.settled], []))
        return state
    }

    @Test func burst_isOver_whenARoundTripHasBroughtNothing() {
        var state = Self.settled()
        #expect(state.hasSettled)
        let removal = Self.receive(.message(.removed(.node(id: 30))), &state)
        #expect(removal == Answer([.inventory([.nodeRemoved(id: 30)])], [.sync(.burst)]))
        #expect(Self.receive(.message(.object(.announced)), &state) == Answer([.announced], []))
        #expect(Self.receive(.answered(.burst), &state) == Answer([], [.sync(.burst)]))
        #expect(Self.receive(.answered(.burst), &state) == Answer([.settled], []))
    }

    @Test func burst_isNotOver_beforeOurOwnClientIsKnown() {
        var state = PipeWireServerState()
        state.changed()
        #expect(state.takeRequests() == [.sync(.burst)])
        #expect(Self.receive(.answered(.burst), &state) == Answer([], [.sync(.burst)]))
        #expect(!state.hasSettled)
    }

    @Test func reading_isOneChange_andPartOfTheBurst() {
        var state = Self.settled()
        let begun = Self.receive(.message(.reading(.begun, deviceID: 40)), &state)
        #expect(begun == Answer([.inventory([])], [.sync(.burst)]))
        #expect(Self.receive(.message(.reading(.activeProfile(1), deviceID: 40)), &state) == Answer([], []))
        #expect(Self.receive(.answered(.burst), &state) == Answer([], [.sync(.burst)]))
        let facts = Self.receive(.message(.reading(.over, deviceID: 40)), &state).facts
        guard facts.count == 1, case .inventory(let together) = facts[0] else {
            Issue.record("\(facts)")
            return
        }
        #expect(together.count == 3 && together.first == .profilesChanged(deviceID: 40, [], active: nil))
    }

    @Test func claim_isGranted_afterARoundTripOfItsOwn() {
        var state = Self.settled()
        #expect(Self.receive(.message(.claimNamed(ClaimID(number: 5), nodeID: 80)), &state) == Answer([], []))
        let stream = PipeWireObject.programAnnounced(serial: 179, nodeID: 79, clientID: 1, isClaim: false)
        #expect(Self.receive(.message(.object(stream)), &state) == Answer([], []))
        let claim = PipeWireObject.programAnnounced(serial: 180, nodeID: 80, clientID: 1, isClaim: true)
        let announced = Self.receive(.message(.object(claim)), &state)
        #expect(announced == Answer([.claimAnnounced], [.sync(.claims(1)), .sync(.burst)]))
        #expect(Self.receive(.answered(.claims(0)), &state).facts == [])
        #expect(Self.receive(.answered(.claims(1)), &state).facts == [.granted(.init(tag: 5, serial: 180))])
        let failed = Self.receive(.message(.claimFailed(ClaimID(number: 5), "it has crashed")), &state)
        #expect(failed.facts == [.refused(tag: 5, "it has crashed")])
    }

    @Test func ranking_isAFactOfTheTimer_andAnEqualOneIsNone() {
        var state = Self.settled()
        state.readRanking()
        #expect(state.takeRequests() == [.readRanking(ofProcess: 0)])
        let ranking = WirePlumberRankingReader.Ranking(process: 0, rules: .wirePlumber05, stored: ["usb"])
        #expect(Self.receive(.rankingRead(ranking), &state) == Answer([], [.arm(.zero)]))
        #expect(state.ranking == nil)
        let fact = PipeWireFact.rankingRead(.wirePlumber05, stored: ["usb"])
        #expect(Self.receive(.message(.timerFired), &state) == Answer([.inventory([fact])], [.sync(.burst)]))
        #expect(state.ranking == ranking)
        #expect(Self.receive(.rankingRead(ranking), &state) == Answer([], []))
    }

    @Test func ranking_ofASessionManager_isReadAtOnce_andBelongsToTheBurst_onlyForWhomItMatters() {
        let manager = PipeWireMessage.object(.client(id: 9, .init(processID: 70, name: "WirePlumber")))
        for readsRanking in [true, false] {
            var state = Self.settled(readsRanking: readsRanking)
            let answer = Self.receive(.message(manager), &state)
            #expect(answer.facts == [.managerChanged] && state.managerProcess == 70)
            #expect(answer.requests == [.sync(.burst)] + (readsRanking ? [.readRanking(ofProcess: 70)] : []))
            #expect(Self.receive(.answered(.burst), &state).facts == (readsRanking ? [] : [.settled]))
            let left = Self.receive(.message(.removed(.other(id: 9))), &state)
            #expect(left.facts == [.managerChanged, .removed(id: 9)])
        }
    }

    @Test func metadata_areReadAfterAProgramHasConnected_onlyForWhomTheyMatter() {
        let program = PipeWireMessage.object(.client(id: 50, .init(processID: 7, name: "mixer")))
        let time = HostTime.zero.advanced(bySeconds: 0.25)
        for readsMetadata in [true, false] {
            var state = Self.settled(readsMetadata: readsMetadata)
            let connected = Self.receive(.message(program), &state)
            #expect(connected == Answer([], readsMetadata ? [.arm(time)] : []))
            let requests = Self.receive(.message(.timerFired), &state, at: time).requests
            #expect(requests == (readsMetadata ? [.readMetadata] : []))
        }
    }

    @Test func newTimeToWake_replacesTheOneBefore() {
        var state = Self.settled()
        let (early, late) = (HostTime.zero.advanced(bySeconds: 1), HostTime.zero.advanced(bySeconds: 2))
        state.wake(at: early)
        #expect(state.takeRequests() == [.arm(early)])
        state.wake(at: late)
        #expect(state.takeRequests() == [.arm(late)])
        #expect(Self.receive(.message(.timerFired), &state, at: early) == Answer([], [.arm(late)]))
        #expect(Self.receive(.message(.timerFired), &state, at: late) == Answer([.woken], []))
        state.wake(at: early)
        _ = state.takeRequests()
        state.wake(at: nil)
        #expect(state.takeRequests() == [.arm(nil)])
    }
}
