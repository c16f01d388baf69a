import RenderCore
import Testing

@Suite struct SPSCRingTests {
    @Test func slots_writtenAndRead_wrapAround() {
        let ring = SPSCRing(capacity: 4)
        var indices: [Int] = []
        for _ in 0..<6 {
            indices.append(ring.writeIndex())
            ring.publish(1)
            #expect(ring.readIndex() == indices.last)
            ring.consume(1)
        }
        #expect(indices == [0, 1, 2, 3, 0, 1])
        #expect(ring.writtenSlots() == 6)
        #expect(ring.readSlots() == 6)
    }

    @Test func fullRing_isToldFromAnEmptyOne() {
        let ring = SPSCRing(capacity: 4)
        #expect(ring.writableSlots() == 4)
        #expect(ring.readableSlots() == 0)
        ring.publish(4)
        #expect(ring.writableSlots() == 0)
        #expect(ring.readableSlots() == 4)
        ring.consume(3)
        #expect(ring.writableSlots() == 3)
        #expect(ring.readableSlots() == 1)
        ring.reset()
        #expect(ring.writableSlots() == 4)
        #expect(ring.readableSlots() == 0)
    }

    @Test func frames_acrossTheWrap_keepTheirOrder() {
        let storage = UnsafeMutablePointer<Float>.allocate(capacity: 8)
        storage.initialize(repeating: 0, count: 8)
        defer { storage.deallocate() }
        let ring = FrameRing(storage: storage, capacity: 4, channels: 2)
        #expect(ring.write([1, -1, 2, -2, 3, -3], count: 3) == 3)
        #expect(ring.contiguousFrames() == 3)
        ring.slots.consume(2)
        // One frame waits, so three fit: one before the wrap, two after it.
        #expect(ring.write([4, -4, 5, -5, 6, -6, 7, -7], count: 4) == 3)
        #expect(ring.write([7, -7], count: 1) == 0)
        var frames: [Float] = []
        var pieces: [Int] = []
        while ring.contiguousFrames() > 0 {
            pieces.append(ring.contiguousFrames())
            for sample in 0..<2 * ring.contiguousFrames() { frames.append(ring.front()[sample]) }
            ring.slots.consume(ring.contiguousFrames())
        }
        #expect(pieces == [2, 2])
        #expect(frames == [3, -3, 4, -4, 5, -5, 6, -6])
    }

    @Test func capacity_notAPowerOfTwo_isOurBug() async {
        await #expect(processExitsWith: .failure) { _ = SPSCRing(capacity: 6) }
        await #expect(processExitsWith: .failure) { _ = SPSCRing(capacity: 0) }
    }
}
