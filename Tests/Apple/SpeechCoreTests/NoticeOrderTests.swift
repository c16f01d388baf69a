import SpeechCore
import TestSupport
import Testing

struct NoticeOrderTests {
    @Test func notice_thatComesEarly_waitsForThoseBefore() {
        var order = NoticeOrder<String>()
        #expect(order.add("c", number: 2) == [])
        #expect(order.add("a", number: 0) == ["a"])
        #expect(order.add("d", number: 3) == [])
        #expect(order.add("b", number: 1) == ["b", "c", "d"])
        #expect(order.add("e", number: 4) == ["e"])
    }

    @Test func notices_inAnyOrder_comeInTheirOwn() {
        for seed in UInt64(1)...50 {
            var (random, order, delivered) = (Seeded(seed: seed), NoticeOrder<Int>(), [Int]())
            for number in (0..<20).shuffled(using: &random) {
                delivered += order.add(number, number: UInt64(number))
            }
            #expect(delivered == Array(0..<20), "seed \(seed)")
        }
    }
}
