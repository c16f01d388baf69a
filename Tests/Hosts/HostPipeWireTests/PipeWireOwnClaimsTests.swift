import TestSupport
import Testing

@testable import HostPipeWire

@Suite struct PipeWireOwnClaimsTests {
    @Test func claim_isGranted_byTheRoundTripAfterItsNodeWasFound() {
        var claims = PipeWireOwnClaims()
        var asks = claims.named(7, nodeID: 50)
        #expect(!asks)
        asks = claims.announced(nodeID: 50, serial: 1050)
        #expect(asks)
        var grants = claims.synced(3)
        #expect(grants.isEmpty)
        claims.asked(4)
        asks = claims.named(7, nodeID: 50)
        #expect(!asks)
        grants = claims.synced(3)
        #expect(grants.isEmpty)
        grants = claims.synced(4)
        #expect(grants == [.init(tag: 7, serial: 1050)])
        grants = claims.synced(4)
        #expect(grants.isEmpty)
        let wasGranted = (claims.forget(7), claims.forget(7))
        #expect(wasGranted.0 && !wasGranted.1)
    }

    @Test func nodeThatHadTheIDBefore_isNotTheClaims() {
        var claims = PipeWireOwnClaims()
        _ = claims.announced(nodeID: 50, serial: 1050)
        var asks = claims.named(7, nodeID: 50)
        #expect(asks)
        claims.asked(1)
        claims.removed(serial: 1050)
        asks = claims.announced(nodeID: 50, serial: 1060)
        #expect(asks)
        claims.asked(2)
        var grants = claims.synced(1)
        #expect(grants.isEmpty)
        grants = claims.synced(2)
        #expect(grants == [.init(tag: 7, serial: 1060)])
    }

    @Test func claimThatIsTakenDown_isNotGranted() {
        var claims = PipeWireOwnClaims()
        _ = claims.announced(nodeID: 50, serial: 1050)
        _ = claims.named(7, nodeID: 50)
        claims.asked(1)
        let wasGranted = claims.forget(7)
        let grants = claims.synced(1)
        #expect(!wasGranted && grants.isEmpty)
    }

    /// Against a server that gives ids again, with its two connections in any order.
    @Test(arguments: 1...200)
    func anyScript_grantsEachClaimOnce_withItsOwnSerial(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        var claims = PipeWireOwnClaims()
        /// What the registry has still to tell, in its order; then round trips.
        var registry: [(PipeWireOwnClaims.Grant?, nodeID: UInt32, isRemoval: Bool)] = []
        var names: [(tag: UInt64, nodeID: UInt32)] = []
        var own: [UInt64: UInt64] = [:]
        var granted: [UInt64: UInt64] = [:]
        var live: [UInt32: UInt64] = [:]
        var (serial, tag, seq) = (UInt64(1000), UInt64(0), Int32(0))
        func ask(_ asks: Bool) {
            guard asks else { return }
            seq += 1
            claims.asked(seq)
            registry.append((nil, nodeID: UInt32(seq), isRemoval: false))
        }
        /// A claim of ours whose node goes has failed.
        func remove(_ id: UInt32) {
            guard let old = live.removeValue(forKey: id) else { return }
            registry.append((.init(tag: 0, serial: old), nodeID: id, isRemoval: true))
            guard let tag = own.first(where: { $0.value == old })?.key else { return }
            names.removeAll { $0.tag == tag }
            claims.forget(tag)
        }
        for step in 0..<1000 {
            switch step < 200 ? Int.random(in: 0..<4, using: &random) : Int.random(in: 2..<4, using: &random) {
            case 0:
                let id = UInt32.random(in: 50...53, using: &random)
                remove(id)
                serial += 1
                live[id] = serial
                registry.append((.init(tag: 0, serial: serial), nodeID: id, isRemoval: false))
                guard Bool.random(using: &random) else { break }
                tag += 1
                own[tag] = serial
                names.append((tag, id))
            case 1:
                if let id = live.keys.sorted().randomElement(using: &random) { remove(id) }
            case 2:
                guard !names.isEmpty else { break }
                let name = names.removeFirst()
                ask(claims.named(name.tag, nodeID: name.nodeID))
            default:
                guard !registry.isEmpty else { break }
                let told = registry.removeFirst()
                guard let node = told.0 else {
                    for grant in claims.synced(Int32(told.nodeID)) {
                        #expect(granted.updateValue(grant.serial, forKey: grant.tag) == nil)
                    }
                    break
                }
                if told.isRemoval {
                    claims.removed(serial: node.serial)
                } else {
                    ask(claims.announced(nodeID: told.nodeID, serial: node.serial))
                }
            }
        }
        #expect(granted.allSatisfy { own[$0.key] == $0.value }, "\(granted) \(own)")
        let expected = own.filter { live.values.contains($0.value) }.keys
        #expect(expected.allSatisfy { granted[$0] != nil }, "\(granted) \(own)")
    }
}
