import AudioModel
import SessionCore
import TestSupport
import Testing

/// Several sessions over one board: they agree, whatever the delays.
struct SharedClaimRegistryTests {
    private static let seeds: [UInt64] = Array(1...24)

    /// What has to hold when nothing is on its way any more.
    private func expectAgreement(_ board: SharedClaimRegistry, _ comment: Comment) {
        #expect(board.violations == [], comment)
        let claims = board.entries.map { Arbitration.Claim(place: $0.key, configuration: $0.value.configuration) }
        let arbitration = Arbitration(claims)
        for claim in claims { #expect(arbitration.verdict(at: claim.place) == .effective, comment) }
        for (owner, client) in board.clients {
            let state = client.machine.state
            let own = board.entries.filter { $0.value.owner == owner }
            #expect(own.count <= 1, comment)
            #expect(state.activation.isActive == !own.isEmpty, comment)
            if case .claiming = state.activation { Issue.record("session \(owner) is stuck claiming: \(comment)") }
            let others = board.entries.filter { $0.value.owner != owner }.keys.sorted()
            #expect(state.peers.map(\.place) == others, comment)
            for stream in state.streams where stream.playWhenReady {
                #expect(stream.isStarted || state.interruption != nil, comment)
            }
        }
        #expect(soloists(of: board).count <= 1, comment)
    }

    private func soloists(of board: SharedClaimRegistry) -> [SharedClaimRegistry.Client] {
        board.clients.values.filter {
            $0.machine.state.activation.isActive && !$0.machine.state.configuration.isMixable
        }
    }

    @Test(arguments: seeds)
    func sessions_whateverTheDelays_agreeOnOneWinner(seed: UInt64) {
        var board = SharedClaimRegistry(seed: seed, clients: 5)
        var random = Seeded(seed: seed ^ 0xFFFF)
        for round in 1...5 {
            for _ in 0..<20 {
                board.act()
                for _ in 0..<Int.random(in: 0..<8, using: &random) { _ = board.step() }
            }
            let isSettled = board.settle()
            #expect(isSettled)
            expectAgreement(board, "seed \(seed), round \(round)")

            board.activateEverybody()
            let isSettledAgain = board.settle()
            #expect(isSettledAgain)
            expectAgreement(board, "seed \(seed), round \(round), all at once")
            let wanting = board.clients.values.filter { !$0.machine.state.configuration.isMixable }
            // A prompt mixes with music and silences speech: the last speaker may have had to make way for one.
            let hasPrompt = board.entries.values.contains { $0.configuration.interruptsSpokenAudio }
            let winners = soloists(of: board).count
            #expect(winners == 1 || wanting.isEmpty || winners == 0 && hasPrompt, "seed \(seed), round \(round)")
        }
    }
}
