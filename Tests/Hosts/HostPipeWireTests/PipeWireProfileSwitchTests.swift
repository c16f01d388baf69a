import AudioModel
import TestSupport
import Testing

@testable import HostPipeWire

/// The headset of `PipeWireHeadsetTests`.
@Suite struct PipeWireProfileSwitchTests {
    private typealias Actions = [PipeWireProfileSwitch.Action]

    private static let answer = PipeWireProfileSwitch.Action.startTimer(
        deviceID: 9, milliseconds: PipeWireProfileSwitch.answerMilliseconds)
    private static let ask: Actions = [.request(deviceID: 9, profile: 2), answer]
    private static let wait = PipeWireProfileSwitch.Action.startTimer(deviceID: 9, milliseconds: 2000)
    private static let goBack: Actions = [.vacate(deviceID: 9), .request(deviceID: 9, profile: 1), answer]
    private static let expire = PipeWireProfileSwitch.Action.endRequest(deviceID: 9)
    private static let stop = PipeWireProfileSwitch.Action.stopTimer(deviceID: 9)

    /// A stream that waits for the headset's HFP, and runs.
    private func asked() -> HeadsetBench {
        var bench = HeadsetBench()
        bench.feed(.await(stream: 0, .hfp))
        bench.feed(.start(stream: 0))
        return bench
    }

    /// The same, linked there.
    private func inCall() -> HeadsetBench {
        var bench = asked()
        bench.feed(.cardAnswers)
        bench.feed(.settled)
        return bench
    }

    @Test func runningStream_bringsTheCardToHFP_andItGoesBackTwoSecondsAfter() {
        var bench = inCall()
        bench.feed(.stop(stream: 0))
        #expect(bench.profiles.cards == [9: .unused])
        bench.feed(.timerFires)
        #expect(bench.links == [.awaiting([PipeWireHeadsetTests.hfp]), .unlinked])
        bench.feed(.cardAnswers)
        bench.feed(.rested)
        #expect(
            bench.log == Self.ask + [Self.stop, Self.wait] + Self.goBack + [Self.stop])
        #expect(bench.facts.switchedCards.isEmpty)
        #expect(bench.violations == [])
    }

    @Test func streamThatStartsAgainInTime_keepsTheProfile() {
        var bench = inCall()
        for event in [.stop(stream: 0), .start(stream: 0), .stop(stream: 0), .unlink(stream: 0)] as [HeadsetBench.Event]
        {
            bench.feed(event)
        }
        #expect(bench.log == Self.ask + [Self.stop, Self.wait, Self.stop, Self.wait])
        #expect(bench.violations == [])
    }

    @Test func streamThatDoesNotRun_switchesNothing() {
        var bench = HeadsetBench()
        bench.feed(.await(stream: 0, .hfp))
        bench.feed(.start(stream: 1))
        #expect(bench.log == [])
    }

    @Test func request_isNotRepeated_whileTheCardIsInItsOldProfile() {
        var bench = asked()
        for event in [.cardRepeatsItself, .stop(stream: 0), .start(stream: 0), .rested] as [HeadsetBench.Event] {
            bench.feed(event)
        }
        #expect(bench.log == Self.ask)
        #expect(bench.profiles.cards == [9: .requested])
    }

    /// A radio may take longer than the server needs to rest.
    @Test func slowCard_keepsTheWayBack() {
        var bench = asked()
        for event in [.rested, .cardAnswers, .settled, .stop(stream: 0), .timerFires] as [HeadsetBench.Event] {
            bench.feed(event)
        }
        #expect(bench.log == Self.ask + [Self.stop, Self.wait] + Self.goBack)
    }

    @Test func requestWithoutAnswer_isRepeatedOnlyForAStreamThatStillWaits() {
        var bench = asked()
        bench.feed(.cardIgnores)
        bench.feed(.timerFires)
        #expect(bench.log == Self.ask + [Self.expire] + Self.ask)
        bench.feed(.unlink(stream: 0))
        bench.feed(.timerFires)
        bench.feed(.rested)
        #expect(bench.log == Self.ask + [Self.expire] + Self.ask + [Self.expire])
        #expect(bench.profiles.cards == [:])
        #expect(bench.facts.switchedCards.isEmpty)
    }

    @Test func cardThatDoesNotGoBack_isAskedAgain() {
        var bench = inCall()
        bench.feed(.stop(stream: 0))
        for event in [.timerFires, .cardIgnores, .timerFires, .timerFires] as [HeadsetBench.Event] { bench.feed(event) }
        #expect(bench.log == Self.ask + [Self.stop, Self.wait] + Self.goBack + [Self.expire, Self.wait] + Self.goBack)
    }

    /// Another card may have the id.
    @Test func removedCard_leavesNothingBehind() {
        var pending = asked()
        pending.feed(.unplug)
        #expect(pending.log == Self.ask + [Self.stop])
        pending.feed(.plug)
        pending.feed(.await(stream: 0, .hfp))
        #expect(pending.log == Self.ask + [Self.stop] + Self.ask)
        var unused = inCall()
        unused.feed(.stop(stream: 0))
        unused.feed(.unplug)
        #expect(unused.log == Self.ask + [Self.stop, Self.wait, Self.stop])
        #expect(unused.profiles.cards == [:])
    }

    @Test func whatOthersSwitched_isLeftAlone() {
        var bench = HeadsetBench()
        bench.feed(.othersSet(.hfp))
        bench.feed(.await(stream: 0, .hfp))
        bench.feed(.settled)
        bench.feed(.start(stream: 0))
        bench.feed(.stop(stream: 0))
        #expect(bench.log == [])
    }

    @Test func end_bringsBack_alsoACardThatHasNotAnswered() {
        for var bench in [asked(), inCall()] {
            let earlier = bench.log
            let isPending = !bench.profiles.cards.isEmpty
            bench.feed(.end)
            for event in [.cardAnswers, .cardAnswers, .settled, .stop(stream: 0)] as [HeadsetBench.Event] {
                bench.feed(event)
            }
            #expect(bench.log == earlier + (isPending ? [Self.stop] : []) + [.request(deviceID: 9, profile: 1)])
            #expect(bench.violations == [])
        }
    }

    /// Any order of events, and a quiet end: the card is as it was, and nothing is waited for.
    @Test func anyScript_keepsTheInvariants_andTheCardComesBack() {
        var met: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            var random = Seeded(seed: seed)
            var bench = HeadsetBench()
            for _ in 0..<100 { bench.feed(.random(using: &random)) }
            bench.quiet()
            #expect(bench.violations == [], "seed \(seed)")
            met.formUnion(bench.log.map { String("\($0)".prefix { $0 != "(" }) })
        }
        #expect(met == ["request", "endRequest", "vacate", "startTimer", "stopTimer"])
    }
}

/// The headset, its server, and two streams of ours, with what must hold after every event.
private struct HeadsetBench {
    enum Profile: Int32, CaseIterable {
        case off, a2dp, hfp
    }

    enum Event {
        case start(stream: Int), stop(stream: Int), unlink(stream: Int)
        /// Linked at once where the port is there.
        case await(stream: Int, Profile)
        /// Takes the oldest request.
        case cardAnswers
        /// Drops the oldest request.
        case cardIgnores
        case cardRepeatsItself
        case othersSet(Profile)
        case settled, rested, timerFires, unplug, plug, end

        static func random(using random: inout Seeded) -> Event {
            let stream = Int.random(in: 0...1, using: &random)
            return switch Int.random(in: 0..<20, using: &random) {
            case 0...2: .start(stream: stream)
            case 3...4: .stop(stream: stream)
            case 5: .unlink(stream: stream)
            case 6...8: .await(stream: stream, random.next() % 3 == 0 ? .a2dp : .hfp)
            case 9...10: .cardAnswers
            case 11: .cardIgnores
            case 12: .cardRepeatsItself
            case 13: .othersSet(Profile.allCases.randomElement(using: &random)!)
            case 14...15: .settled
            case 16: .rested
            case 17...18: .timerFires
            default: Bool.random(using: &random) ? .unplug : .plug
            }
        }
    }

    private typealias Headset = PipeWireHeadsetTests

    private(set) var facts = PipeWireInventoryTests.fold(PipeWireHeadsetTests.inA2DP)
    private(set) var profiles = PipeWireProfileSwitch()
    private(set) var links: [PipeWireProfileSwitch.Link] = [.unlinked, .unlinked]
    private(set) var log: [PipeWireProfileSwitch.Action] = []
    private(set) var violations: [String] = []
    private var running: Set<Int> = []
    /// nil while the card is unplugged.
    private var actual: Profile? = .a2dp
    /// What the card has not taken yet.
    private var requests: [Int32] = []
    /// The last request, until the card has left the profile that it was in, or the request has taken too long.
    private var pending: (profile: Int32, from: Profile?)?
    private var hasTimer = false
    private var hasEnded = false

    mutating func feed(_ event: Event) {
        switch event {
        case .start(let stream): running.insert(stream)
        case .stop(let stream): running.remove(stream)
        case .unlink(let stream): links[stream] = .unlinked
        case .await(let stream, let profile):
            let uid = profile == .hfp ? Headset.hfp : Headset.a2dp
            links[stream] = facts.target(uid: uid, .output).map { .linked([$0]) } ?? .awaiting([uid])
            if !links[stream].targets.isEmpty, pending != nil { violations.append("linked to a port that goes") }
        case .cardAnswers:
            if !requests.isEmpty { take(Profile(rawValue: requests.removeFirst())!) }
        case .cardIgnores: if !requests.isEmpty { requests.removeFirst() }
        case .cardRepeatsItself: if let actual { tell(Headset.profiles(active: actual.rawValue)) }
        case .othersSet(let profile): if actual != nil { take(profile) }
        case .settled: settle()
        case .rested:
            let switched = facts.switchedCards
            facts.apply(.rested)
            if facts.switchedCards != switched, actual?.rawValue != switched[9]?.former || pending != nil {
                violations.append("not back")
            }
        case .timerFires:
            guard hasTimer else { break }
            hasTimer = false
            // What has not answered by now does not any more.
            if pending != nil { (requests, pending) = ([], nil) }
            carryOut(profiles.timedOut(9, in: facts))
        case .unplug:
            guard actual != nil else { break }
            removeNodes()
            (actual, requests, pending) = (nil, [], nil)
            tell(.deviceRemoved(id: 9))
        case .plug:
            guard actual == nil else { break }
            actual = .a2dp
            for fact in Headset.inA2DP { tell(fact) }
        case .end:
            hasEnded = true
            carryOut(profiles.end(in: facts))
        }
        update()
        check(event)
    }

    /// The streams stop, the card answers, and time goes by.
    mutating func quiet() {
        let wasSwitched = !facts.switchedCards.isEmpty
        for stream in links.indices { feed(.stop(stream: stream)) }
        for _ in 0..<10 {
            for event in [.cardAnswers, .settled, .timerFires, .rested] as [Event] { feed(event) }
        }
        if !profiles.cards.isEmpty || hasTimer { violations.append("waits for \(profiles.cards) for ever") }
        // What another program has switched off is its own.
        guard let actual, actual != .off else { return }
        if !facts.switchedCards.isEmpty { violations.append("\(facts.switchedCards) are never back") }
        if wasSwitched, actual != .a2dp { violations.append("the card stays in \(actual)") }
    }

    /// As the emitter passes the server's facts on.
    private mutating func tell(_ fact: PipeWireFact) {
        facts.apply(fact)
        update()
    }

    private mutating func update() {
        carryOut(profiles.update(running: running.sorted().map { links[$0] }, in: facts))
    }

    private mutating func take(_ profile: Profile) {
        if profile != actual { removeNodes() }
        actual = profile
        if profile.rawValue == pending?.profile || profile != pending?.from { pending = nil }
        tell(Headset.profiles(active: profile.rawValue))
        guard profile != .off else { return }
        tell(Headset.sink(profile == .hfp ? "headset-head-unit" : "a2dp-sink"))
        if profile == .hfp { tell(Headset.source("headset-head-unit")) }
    }

    private mutating func removeNodes() {
        for stream in links.indices where !links[stream].targets.isEmpty { links[stream] = .unlinked }
        tell(.nodeRemoved(id: 20))
        tell(.nodeRemoved(id: 21))
    }

    private mutating func settle() {
        for stream in links.indices {
            guard case .awaiting(let uids) = links[stream] else { continue }
            if let target = facts.target(uid: uids[0], .output) {
                links[stream] = .linked([target])
            } else if facts.location(uid: uids[0]) == nil {
                links[stream] = .unlinked
            }
        }
    }

    private mutating func carryOut(_ actions: [PipeWireProfileSwitch.Action]) {
        log += actions
        for action in actions {
            switch action {
            case .request(let id, let profile):
                if actual == nil { violations.append("\(profile) for a card that is not there") }
                if hasEnded {
                    if profile == Profile.hfp.rawValue { violations.append("HFP after the end") }
                } else {
                    if pending != nil { violations.append("\(profile) before the answer") }
                    if actual?.rawValue == profile { violations.append("\(profile) is the profile") }
                }
                pending = (profile, from: actual)
                requests.append(profile)
                facts.apply(.profileRequested(deviceID: id, profile))
            case .endRequest(let id): facts.apply(.profileRequestExpired(deviceID: id))
            case .vacate:
                for stream in links.indices where !links[stream].targets.isEmpty {
                    if running.contains(stream) { violations.append("stream \(stream) runs") }
                    links[stream] = .awaiting(links[stream].targets.map(\.uid))
                }
            case .startTimer: hasTimer = true
            case .stopTimer:
                if !hasTimer { violations.append("no timer to stop") }
                hasTimer = false
            }
        }
    }

    private mutating func check(_ event: Event) {
        if hasTimer == profiles.cards.isEmpty { violations.append("timer: \(hasTimer), \(profiles.cards)") }
        if actual == nil, !profiles.cards.isEmpty || !facts.switchedCards.isEmpty { violations.append("left behind") }
        let isUsed = running.contains { !links[$0].targets.isEmpty }
        if profiles.cards[9] == .unused, isUsed || actual != .hfp { violations.append("used in \(actual as Any)") }
        if violations.count == 1 { violations.append("after \(event)") }
    }
}
