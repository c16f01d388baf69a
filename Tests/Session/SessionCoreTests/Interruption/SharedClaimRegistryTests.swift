import AudioModel
import SessionCore
import TestSupport
import Testing

/// Several sessions over one claim registry: they agree, whatever the delays.
struct SharedClaimRegistryTests {
    private static let seeds: [UInt64] = Array(1...24)

    private func expectAgreement(_ registry: SharedClaimRegistry, _ comment: Comment) {
        #expect(registry.violations == [], comment)
        #expect(registry.disagreements == [], comment)
        #expect(soloists(of: registry).count <= 1, comment)
    }

    private func soloists(of registry: SharedClaimRegistry) -> [SharedClaimRegistry.Client] {
        registry.clients.values.filter {
            $0.machine.state.activation.isActive && !$0.machine.state.configuration.isMixable
        }
    }

    @Test(arguments: seeds)
    func sessions_whateverTheDelays_agreeOnOneWinner(seed: UInt64) {
        var registry = SharedClaimRegistry(seed: seed, clients: 5)
        var random = Seeded(seed: seed ^ 0xFFFF)
        for round in 1...5 {
            for _ in 0..<20 {
                registry.act()
                for _ in 0..<Int.random(in: 0..<8, using: &random) { _ = registry.step() }
            }
            let isSettled = registry.settle()
            #expect(isSettled)
            expectAgreement(registry, "seed \(seed), round \(round)")

            registry.run([])
            registry.activateAll()
            let isSettledAgain = registry.settle()
            #expect(isSettledAgain)
            expectAgreement(registry, "seed \(seed), round \(round), all at once")
            let wanting = registry.clients.values.filter { !$0.machine.state.configuration.isMixable }
            // A prompt mixes with music and silences speech: the last speaker may have had to make way for one.
            let hasPrompt = registry.entries.values.contains { $0.configuration.interruptsSpokenAudio }
            let winners = soloists(of: registry).count
            #expect(winners == 1 || wanting.isEmpty || winners == 0 && hasPrompt, "seed \(seed), round \(round)")
        }
    }

    // Behaviour 99
    @Test(arguments: seeds)
    func nestedInterruptionsUnwind(seed: UInt64) {
        var registry = SharedClaimRegistry(
            seed: seed, clients: 5, policy: StreamPolicy(onInterruption: .pauseAndResume))
        var random = Seeded(seed: seed ^ 0xFFFF)
        /// Who plays, and below it who waits, from the bottom to the top.
        var pile: [Int] = []
        for step in 1...60 {
            let owner = registry.randomClient()
            let isWaiting = pile.dropLast().contains(owner)
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3:
                registry.takeSound(owner)
                if pile.last != owner { pile = pile.filter { $0 != owner } + [owner] }
            case 3 where isWaiting:
                registry.kill(owner)
                registry.join()
                pile.removeAll { $0 == owner }
            default:
                registry.leave(owner)
                pile.removeAll { $0 == owner }
            }
            settle(&registry)
            expectAgreement(registry, "seed \(seed), step \(step)")
            let sounding = registry.clients.filter { $0.value.machine.state.streams[0].isStarted }.keys.sorted()
            #expect(sounding == pile.suffix(1), "seed \(seed), step \(step)")
            let waiting = registry.clients.filter { $0.value.machine.state.waitingClaim != nil }.keys.sorted()
            #expect(waiting == pile.dropLast().sorted(), "seed \(seed), step \(step)")
        }
    }

    // Behaviour 99, with calls of programs without a session: who waits gets the sound back, whoever is refused meanwhile.
    @Test(arguments: seeds)
    func interruptedSessions_whileForeignCallsComeAndGo_loseNoResume(seed: UInt64) {
        var registry = SharedClaimRegistry(
            seed: seed, clients: 5, policy: StreamPolicy(onInterruption: .pauseAndResume))
        var random = Seeded(seed: seed ^ 0xFFFF)
        var pile: [Int] = []
        var refusals = 0
        for step in 1...60 {
            let owner = registry.randomClient()
            let isCalled = !registry.foreignCalls.isEmpty
            // One that left under an interruption and plays again has asked for the sound after its end.
            if !pile.contains(owner), interruption(of: owner, registry) != nil { continue }
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                registry.takeSound(owner)
                if isCalled {
                    refusals += 1
                } else if pile.last != owner {
                    pile = pile.filter { $0 != owner } + [owner]
                }
            case 3 where isCalled || pile.last != owner:
                // Also one that is just being refused.
                if isCalled { registry.takeSound(owner) }
                for _ in 0..<Int.random(in: 0..<6, using: &random) { _ = registry.step() }
                registry.kill(owner)
                registry.join()
                pile.removeAll { $0 == owner }
            case 4..<7: registry.toggleCall()
            default:
                registry.leave(owner)
                pile.removeAll { $0 == owner }
            }
            settle(&registry)
            expectAgreement(registry, "seed \(seed), step \(step)")
            let isQuiet = !registry.foreignCalls.isEmpty
            let sounding = registry.clients.filter { $0.value.machine.state.streams[0].isStarted }.keys.sorted()
            #expect(sounding == (isQuiet ? [] : pile.suffix(1)), "seed \(seed), step \(step)")
            let waiting = registry.clients.filter { $0.value.machine.state.waitingClaim != nil }.keys.sorted()
            #expect(waiting == (isQuiet ? pile : pile.dropLast()).sorted(), "seed \(seed), step \(step)")
        }
        #expect(refusals > 0)
    }

    /// One that need not play again releases its claim after a while.
    @Test func interruptionThatEnds_withoutAnAppThatPlaysAgain_goesToThoseBelowInTime() {
        var registry = SharedClaimRegistry(seed: 1, clients: 3)
        for owner in 0..<3 {
            registry.play(owner)
            settle(&registry)
        }
        registry.leave(2)
        settle(&registry)
        #expect(interruption(of: 0, registry) != nil && interruption(of: 1, registry) == nil)
        registry.passTime()
        settle(&registry)
        #expect(interruption(of: 0, registry) == nil && registry.entries.count == 1)
        registry.passTime()
        settle(&registry)
        #expect(registry.entries.isEmpty)
    }

    private func settle(_ registry: inout SharedClaimRegistry) {
        let isSettled = registry.settle()
        #expect(isSettled)
    }

    private func interruption(of owner: Int, _ registry: SharedClaimRegistry) -> Interruption? {
        registry.clients[owner]?.machine.state.interruption
    }
}
