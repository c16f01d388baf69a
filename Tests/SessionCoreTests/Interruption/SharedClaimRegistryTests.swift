import AudioModel
import SessionCore
import TestSupport
import Testing

/// Several sessions over one board: they agree, whatever the delays.
struct SharedClaimRegistryTests {
    private static let seeds: [UInt64] = Array(1...24)

    private func expectAgreement(_ board: SharedClaimRegistry, _ comment: Comment) {
        #expect(board.violations == [], comment)
        #expect(board.disagreements == [], comment)
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

    // Behaviour 99
    @Test(arguments: seeds)
    func nestedInterruptionsUnwind(seed: UInt64) {
        var board = SharedClaimRegistry(
            seed: seed, clients: 5, policy: StreamPolicy(onInterruption: .pauseAndResume))
        var random = Seeded(seed: seed ^ 0xFFFF)
        /// Who plays, and below it who waits, from the bottom to the top.
        var pile: [Int] = []
        for step in 1...60 {
            let owner = board.randomClient()
            let isWaiting = pile.dropLast().contains(owner)
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3:
                board.takeSound(owner)
                if pile.last != owner { pile = pile.filter { $0 != owner } + [owner] }
            case 3 where isWaiting:
                board.kill(owner)
                board.join()
                pile.removeAll { $0 == owner }
            default:
                board.leave(owner)
                pile.removeAll { $0 == owner }
            }
            settle(&board)
            expectAgreement(board, "seed \(seed), step \(step)")
            let sounding = board.clients.filter { $0.value.machine.state.streams[0].isStarted }.keys.sorted()
            #expect(sounding == pile.suffix(1), "seed \(seed), step \(step)")
            let waiting = board.clients.filter { $0.value.machine.state.waitingClaim != nil }.keys.sorted()
            #expect(waiting == pile.dropLast().sorted(), "seed \(seed), step \(step)")
        }
    }

    /// One that need not play again gives its place up after a while.
    @Test func interruptionThatEnds_withoutAnAppThatPlaysAgain_goesToThoseBelowInTime() {
        var board = SharedClaimRegistry(seed: 1, clients: 3)
        for owner in 0..<3 {
            board.play(owner)
            settle(&board)
        }
        board.leave(2)
        settle(&board)
        #expect(interruption(of: 0, board) != nil && interruption(of: 1, board) == nil)
        board.passTime()
        settle(&board)
        #expect(interruption(of: 0, board) == nil && board.entries.count == 1)
        board.passTime()
        settle(&board)
        #expect(board.entries.isEmpty)
    }

    private func settle(_ board: inout SharedClaimRegistry) {
        let isSettled = board.settle()
        #expect(isSettled)
    }

    private func interruption(of owner: Int, _ board: SharedClaimRegistry) -> Interruption? {
        board.clients[owner]?.machine.state.interruption
    }
}
