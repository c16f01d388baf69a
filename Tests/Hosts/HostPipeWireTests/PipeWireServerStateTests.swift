import AudioModel
import Testing

@testable import HostPipeWire

/// What every connection knows of its server; what follows for a host is in `PipeWireEventStateTests`.
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
        _ message: PipeWireMessage, _ state: inout PipeWireServerState, at time: HostTime = .zero
    ) -> Answer {
        let facts = state.receive(message, at: time)
        return Answer(facts, state.takeRequests())
    }

    private static func settled(readsMetadata: Bool = true, readsRanking: Bool = true) -> PipeWireServerState {
        var state = PipeWireServerState(readsMetadata: readsMetadata, readsRanking: readsRanking)
        state.changed()
        #expect(receive(.ownClient(1), &state) == Answer([], [.sync(.burst)]))
        #expect(receive(.synced(.burst), &state) == Answer([.settled], []))
        return state
    }

    @Test func burst_isOver_whenARoundTripHasBroughtNothing() {
        var state = Self.settled()
        #expect(state.hasSettled)
        let removal = Self.receive(.removed(.node(id: 30)), &state)
        #expect(removal == Answer([.inventory([.nodeRemoved(id: 30)])], [.sync(.burst)]))
        #expect(Self.receive(.object(.announced), &state) == Answer([.announced], []))
        #expect(Self.receive(.synced(.burst), &state) == Answer([], [.sync(.burst)]))
        #expect(Self.receive(.synced(.burst), &state) == Answer([.settled], []))
    }

    @Test func burst_isNotOver_beforeOurOwnClientIsKnown() {
        var state = PipeWireServerState()
        state.changed()
        #expect(state.takeRequests() == [.sync(.burst)])
        #expect(Self.receive(.synced(.burst), &state) == Answer([], [.sync(.burst)]))
        #expect(!state.hasSettled)
    }

    @Test func reading_isOneChange_andPartOfTheBurst() {
        var state = Self.settled()
        let begun = Self.receive(.reading(.begun, deviceID: 40), &state)
        #expect(begun == Answer([.inventory([])], [.sync(.burst)]))
        #expect(Self.receive(.reading(.activeProfile(1), deviceID: 40), &state) == Answer([], []))
        #expect(Self.receive(.synced(.burst), &state) == Answer([], [.sync(.burst)]))
        let facts = Self.receive(.reading(.over, deviceID: 40), &state).facts
        guard facts.count == 1, case .inventory(let together) = facts[0] else {
            Issue.record("\(facts)")
            return
        }
        #expect(together.count == 3 && together.first == .profilesChanged(deviceID: 40, [], active: nil))
    }

    @Test func claim_isGranted_afterARoundTripOfItsOwn() {
        var state = Self.settled()
        #expect(Self.receive(.claimNamed(ClaimID(number: 5), nodeID: 80), &state) == Answer([], []))
        let stream = PipeWireObject.programAnnounced(serial: 179, nodeID: 79, clientID: 1, isClaim: false)
        let streamFact = PipeWireServerState.Fact.programAnnounced(serial: 179, clientID: 1, isClaim: false)
        #expect(Self.receive(.object(stream), &state) == Answer([streamFact], []))
        let claim = PipeWireObject.programAnnounced(serial: 180, nodeID: 80, clientID: 1, isClaim: true)
        let announced = Self.receive(.object(claim), &state)
        #expect(announced == Answer([.programAnnounced(serial: 180, clientID: 1, isClaim: true)], [.sync(.claims(1))]))
        #expect(Self.receive(.synced(.claims(0)), &state).facts == [])
        #expect(Self.receive(.synced(.claims(1)), &state).facts == [.granted(.init(tag: 5, serial: 180))])
        let failed = Self.receive(.claimFailed(ClaimID(number: 5), "it has crashed"), &state)
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
        #expect(Self.receive(.timerFired, &state) == Answer([.inventory([fact])], [.sync(.burst)]))
        #expect(state.ranking == ranking)
        #expect(Self.receive(.rankingRead(ranking), &state) == Answer([], []))
    }

    @Test func ranking_ofASessionManager_isReadAtOnce_andBelongsToTheBurst_onlyForWhomItMatters() {
        let manager = PipeWireMessage.object(.client(id: 9, .init(processID: 70, name: "WirePlumber")))
        for readsRanking in [true, false] {
            var state = Self.settled(readsRanking: readsRanking)
            let answer = Self.receive(manager, &state)
            #expect(answer.facts == [.managerChanged] && state.managerProcess == 70)
            #expect(answer.requests == [.sync(.burst)] + (readsRanking ? [.readRanking(ofProcess: 70)] : []))
            #expect(Self.receive(.synced(.burst), &state).facts == (readsRanking ? [] : [.settled]))
            let left = Self.receive(.removed(.other(id: 9)), &state)
            #expect(left.facts == [.managerChanged, .removed(id: 9)])
        }
    }

    @Test func metadata_areReadAfterAProgramHasConnected_onlyForWhomTheyMatter() {
        let program = PipeWireMessage.object(.client(id: 50, .init(processID: 7, name: "mixer")))
        let time = HostTime.zero.advanced(bySeconds: 0.25)
        for readsMetadata in [true, false] {
            var state = Self.settled(readsMetadata: readsMetadata)
            let connected = Self.receive(program, &state)
            #expect(connected == Answer([], readsMetadata ? [.arm(time)] : []))
            let requests = Self.receive(.timerFired, &state, at: time).requests
            #expect(requests == (readsMetadata ? [.readMetadata] : []))
        }
    }

    @Test func newTimeToWake_replacesTheOneBefore() {
        var state = Self.settled()
        let (early, late) = (HostTime.zero.advanced(bySeconds: 1), HostTime.zero.advanced(bySeconds: 2))
        state.deadlines.set(.wake, at: early)
        #expect(state.takeRequests() == [.arm(early)])
        state.deadlines.set(.wake, at: late)
        #expect(state.takeRequests() == [.arm(late)])
        #expect(Self.receive(.timerFired, &state, at: early) == Answer([], [.arm(late)]))
        #expect(Self.receive(.timerFired, &state, at: late) == Answer([.due(.wake)], []))
        state.deadlines.set(.wake, at: early)
        _ = state.takeRequests()
        state.deadlines.set(.wake, at: nil)
        #expect(state.takeRequests() == [.arm(nil)])
    }
}
