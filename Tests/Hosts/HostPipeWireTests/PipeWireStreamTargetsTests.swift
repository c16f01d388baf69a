import AudioModel
import Testing

@testable import HostPipeWire

/// A mixer's choice and the name of our stream's node come in any order.
@Suite struct PipeWireStreamTargetsTests {
    private let first = StreamID(number: 1)
    private let second = StreamID(number: 2)

    private func move(_ stream: StreamID, _ target: String?) -> PipeWireStreamTargets.Move {
        PipeWireStreamTargets.Move(stream: stream, target: target)
    }

    @Test func target_setBeforeTheNodeIsKnown_isAppliedWhenItIs() {
        var targets = PipeWireStreamTargets()
        #expect(targets.set("headphones", ofNode: 70) == nil)
        #expect(targets.named(second, nodeID: 71) == nil)
        #expect(targets.named(first, nodeID: 70) == move(first, "headphones"))
        #expect(targets.named(first, nodeID: 70) == nil, "the same news again")
    }

    @Test func target_ofAKnownNode_isAppliedAndLifted() {
        var targets = PipeWireStreamTargets()
        #expect(targets.named(first, nodeID: 70) == nil)
        #expect(targets.set("headphones", ofNode: 70) == move(first, "headphones"))
        #expect(targets.set(nil, ofNode: 70) == move(first, nil))
        #expect(targets.set("headphones", ofNode: 99) == nil)
    }

    @Test func target_liftedBeforeTheNodeIsKnown_choosesNothing() {
        var targets = PipeWireStreamTargets()
        _ = targets.set("headphones", ofNode: 70)
        _ = targets.set(nil, ofNode: 70)
        #expect(targets.named(first, nodeID: 70) == nil)
    }

    /// Node ids are used again, and only the one who keeps the choices says when one ends.
    @Test func targets_whoseKeeperHasGone_chooseNothing() {
        var targets = PipeWireStreamTargets()
        _ = targets.set("headphones", ofNode: 70)
        #expect(targets.removeAll() == nil)
        #expect(targets.named(first, nodeID: 70) == nil)
    }

    @Test func stream_thatGetsAnotherNode_orIsClosed_leavesTheOldOne() {
        var targets = PipeWireStreamTargets()
        _ = targets.named(first, nodeID: 70)
        #expect(targets.named(first, nodeID: 71) == nil)
        #expect(targets.set("headphones", ofNode: 70) == nil)
        #expect(targets.set("headphones", ofNode: 71) == move(first, "headphones"))
        targets.forget(first)
        #expect(targets.set("speaker", ofNode: 71) == nil)
    }
}
