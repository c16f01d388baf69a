import Foundation
import Testing

/// A thread for one test, so that its waits do not block other tests.
///
/// These tests wait for other processes. If they waited on the few threads that all tests share, the deadlines of other
/// tests would pass meanwhile.
private final class OwnThread: TaskExecutor, @unchecked Sendable {
    // @unchecked: `jobs` and `isEnded` are touched only while `condition` is locked.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isEnded = false

    init() {
        let thread = Thread { [self] in
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
        thread.name = "end-to-end test"
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    func end() {
        condition.withLock {
            isEnded = true
            condition.signal()
        }
    }

    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty && !isEnded { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}

/// Gives each test a thread of its own: `@Suite(.ownThread)`.
struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Suites are passed here too, with all their tests.
        guard testCase != nil else { return try await function() }
        let thread = OwnThread()
        defer { thread.end() }
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    static var ownThread: OwnThreadTrait { OwnThreadTrait() }
}
