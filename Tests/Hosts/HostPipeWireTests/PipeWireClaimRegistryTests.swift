import AudioModel
import HostInterface
import Testing

@testable import HostPipeWire

@Suite struct PipeWireClaimRegistryTests {
    private func claim(_ serial: UInt64, client: UInt32?, notifying: Bool = false) -> PipeWireClaim {
        PipeWireClaim(
            serial: ClaimSerial(number: serial), clientID: client, category: "ambient", mode: "spokenAudio",
            options: "3",
            name: "player", notifiesOthers: notifying)
    }

    private func peer(_ serial: UInt64, client: UInt64?, isPlaying: Bool = false) -> Peer {
        Peer(
            serial: ClaimSerial(number: serial),
            configuration: SessionConfiguration(
                category: .ambient, mode: .spokenAudio, options: [.mixWithOthers, .duckOthers]),
            isPlaying: isPlaying, name: "player", owner: client)
    }

    private func stream(_ serial: UInt64, client: UInt32?, isRunning: Bool = true) -> PipeWireOtherStream {
        PipeWireOtherStream(serial: serial, clientID: client, isRunning: isRunning, role: "Phone", name: "call")
    }

    private let call = ForeignStream(id: 5, role: "Phone", name: "call")

    @Test func words_ofEveryKnownKind_areReadAsWritten() {
        for category in SessionCategory.allCases {
            for mode in SessionMode.allCases {
                for policy in SessionPolicy.allCases {
                    let read = PipeWireClaim(
                        serial: ClaimSerial(number: 1), clientID: 1, category: category.word, mode: mode.word,
                        policy: policy.word, options: "262145")
                    #expect(read.configuration.category == category && read.configuration.mode == mode)
                    #expect(read.configuration.policy == policy)
                    #expect(read.configuration.options == [.mixWithOthers, .farFieldInput])
                }
            }
        }
    }

    @Test func words_thatAreUnknown_areTheNearestKnown() {
        for word in [nil, "", "Playback", "hologram"] {
            let read = PipeWireClaim(
                serial: ClaimSerial(number: 1), clientID: nil, category: word, mode: word, policy: word, options: word)
            #expect(read.configuration == SessionConfiguration(category: .playback), "\(word ?? "none")")
        }
    }

    @Test func changes_areReportedOnce_inOrderOfSerial() {
        var registry = PipeWireClaimRegistry()
        registry.change(claim(9, client: 2))
        registry.change(claim(4, client: 1))
        #expect(registry.drainEvents() == [.peerChanged(peer(4, client: 1)), .peerChanged(peer(9, client: 2))])
        registry.change(claim(4, client: 1))
        registry.change(stream(5, client: 3, isRunning: false))
        #expect(registry.drainEvents() == [])
    }

    @Test func claimsOfOneClient_aboveTheLimit_replaceItsOldest() {
        var registry = PipeWireClaimRegistry()
        let limit = UInt64(PipeWireClaimRegistry.claimsOfOneClient)
        registry.change(claim(1, client: 2))
        for serial in 2...(limit + 1) { registry.change(claim(serial, client: 1)) }
        #expect(registry.drainEvents().count == Int(limit) + 1)
        registry.change(claim(limit + 2, client: 1))
        #expect(
            registry.drainEvents() == [
                .peerLeft(ClaimSerial(number: 2), notifiesOthers: false), .peerChanged(peer(limit + 2, client: 1)),
            ])
        #expect(registry.peers.map(\.owner).count { $0 == 2 } == 1)
        registry.removeClaim(ClaimSerial(number: 2))
        #expect(registry.drainEvents() == [])
    }

    @Test func notice_isToldWithTheDeparture() {
        var registry = PipeWireClaimRegistry()
        registry.change(claim(4, client: 1))
        registry.change(claim(5, client: 2))
        _ = registry.drainEvents()
        registry.change(claim(4, client: 1, notifying: true))
        #expect(registry.drainEvents() == [])
        registry.removeClaim(ClaimSerial(number: 4))
        registry.removeClaim(ClaimSerial(number: 5))
        #expect(
            registry.drainEvents() == [
                .peerLeft(ClaimSerial(number: 4), notifiesOthers: true),
                .peerLeft(ClaimSerial(number: 5), notifiesOthers: false),
            ])
    }

    @Test func claim_thatCameAndLeftBetweenTwoQuestions_isNoNews() {
        var registry = PipeWireClaimRegistry()
        registry.change(claim(4, client: 1))
        registry.removeClaim(ClaimSerial(number: 4))
        #expect(registry.drainEvents() == [])
    }

    @Test func stream_isItsClaimantsSound_orForeign() {
        var registry = PipeWireClaimRegistry()
        registry.change(stream(5, client: 1))
        #expect(registry.drainEvents() == [.foreignStreamsChanged([call])])
        registry.change(claim(6, client: 1))
        #expect(
            registry.drainEvents() == [.peerChanged(peer(6, client: 1, isPlaying: true)), .foreignStreamsChanged([])])
        registry.change(stream(5, client: 1, isRunning: false))
        #expect(registry.drainEvents() == [.peerChanged(peer(6, client: 1))])
        registry.change(stream(5, client: 1))
        _ = registry.drainEvents()
        registry.removeClaim(ClaimSerial(number: 6))
        #expect(
            registry.drainEvents() == [
                .peerLeft(ClaimSerial(number: 6), notifiesOthers: false), .foreignStreamsChanged([call]),
            ])
        registry.removeStream(5)
        #expect(registry.drainEvents() == [.foreignStreamsChanged([])])
    }

    /// Both have outlived their makers; they have no owner then, and do not belong together.
    @Test func streamAndClaim_withoutAMaker_haveNothingToDoWithEachOther() {
        var registry = PipeWireClaimRegistry()
        registry.change(claim(4, client: nil))
        registry.change(stream(5, client: nil))
        #expect(registry.drainEvents() == [.peerChanged(peer(4, client: nil)), .foreignStreamsChanged([call])])
    }
}
