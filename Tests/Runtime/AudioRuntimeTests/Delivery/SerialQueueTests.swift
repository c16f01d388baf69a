import TestSupport
import Testing
import Threading

/// What many threads put and one consumer takes.
@Suite struct SerialQueueTests {
    private let queue = SerialQueue<Int>()
    private let calls = History<String>()

    private func put(_ number: Int) { queue.put(number) { calls.append("call before \(number)") } }

    @Test func consumer_whileItHasNotTakenWhatThereIs_isCalledOnce() {
        put(1)
        put(2)
        #expect(queue.takeFirst() == 1)
        // It works at that one, and comes back by itself.
        put(3)
        #expect(queue.takeFirst() == 2)
        #expect(queue.takeFirst() == 3)
        #expect(queue.takeFirst() == nil)
        put(4)
        #expect(queue.takeAll() == [4])
        put(5)
        #expect(calls.entries == ["call before 1", "call before 4", "call before 5"])
    }

    @Test func queue_whileItsConsumerWorksAtTheLastElement_isNotAtRest() {
        #expect(queue.isAtRest)
        put(1)
        #expect(!queue.isAtRest)
        #expect(queue.takeFirst() == 1)
        #expect(queue.busyThread == .current)
        #expect(!queue.waitUntilAtRest(atMostSeconds: 0))
        #expect(queue.takeFirst() == nil)
        #expect(queue.busyThread == nil)
        queue.waitUntilAtRest()
    }

    @Test func queue_onceClosed_givesWhatItHasAndTakesNoMore() {
        put(1)
        queue.close()
        #expect(!queue.put(2))
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
        #expect(queue.isAtRest)
    }

    @Test func elements_ofManyThreads_keepTheOrderOfEachThread() {
        let taken = History<Int>()
        let consumer = TestThread { [queue] in while let number = queue.next() { taken.append(number) } }
        TestThread.run(8) { [queue] thread in for number in 0..<500 { queue.put(thread * 1000 + number) } }
        queue.waitUntilAtRest()
        #expect(taken.count == 4000)
        queue.close()
        consumer.join()
        for thread in 0..<8 {
            #expect(taken.entries.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
    }

    @Test func promise_keepsItsFirstValue_andOneThatNeverComesIsNotWaitedForLonger() {
        let promise = Promise<Int>()
        #expect(!promise.wait(timeoutSeconds: 0))
        promise.fulfil(1)
        promise.fulfil(2)
        #expect(promise.wait(timeoutSeconds: 0))
        #expect(promise.wait() == 1)
    }
}
