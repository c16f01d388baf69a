import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import TestSupport
import Testing
import Threading

@testable import OpenAudioSession
@testable import SessionRuntime

/// Activation and deactivation without waiting.
@Suite struct AsyncActivationTests {
    private let machine: AppMachine
    private let session: AVAudioSession

    init() throws {
        machine = try AppMachine()
        session = machine.session
    }

    /// Keeps the session thread busy while `body` runs, so that what it asks for is queued.
    private func whileSessionIsBusy(_ body: () -> Void) {
        let (isBusy, mayGoOn) = (Latch(), Latch())
        machine.runtime.asynchronously { _ in
            isBusy.raise()
            mayGoOn.wait()
        }
        isBusy.wait()
        body()
        mayGoOn.raise()
        machine.runtime.drain()
    }

    @Test func activateAndDeactivate_awaited_returnTrue() async throws {
        let story = await SessionStory(of: session)
        #expect(try await session.activate())
        #expect(machine.runtime.state.activation.isActive)
        #expect(try await session.deactivate(options: .notifyOthersOnDeactivation))
        #expect(!machine.runtime.state.activation.isActive)
        machine.runtime.drain()
        #expect(story.newer.entries == ["active", "inactive app"])
    }

    @Test func activate_underACall_throwsInsufficientPriority() async throws {
        machine.host.receiveCall()
        let error = await #expect(throws: NSError.self) { try await session.activate() }
        #expect(error?.domain == NSOSStatusErrorDomain)
        #expect(error?.code == AVAudioSession.ErrorCode.insufficientPriority.rawValue)
    }

    @Test func handlers_areCalledOnceOffTheSessionThread() {
        let history = History<String>()
        let caller = ObjectIdentifier(Thread.current)
        func note(_ call: String) -> @Sendable (Bool, (any Error)?) -> Void {
            { isDone, error in
                let isElsewhere = ObjectIdentifier(Thread.current) != caller && Thread.current.name != "oav-session"
                history.append("\(call): \(isDone) \((error as NSError?)?.code ?? 0), elsewhere: \(isElsewhere)")
            }
        }
        session.activate(completionHandler: note("activate"))
        machine.runtime.drain()
        session.deactivate(options: .notifyOthersOnDeactivation, completionHandler: note("deactivate"))
        machine.runtime.drain()
        machine.host.crashServer()
        session.activate(options: [], completionHandler: note("activate"))
        machine.runtime.drain()
        #expect(
            history.entries == [
                "activate: true 0, elsewhere: true", "deactivate: true 0, elsewhere: true",
                "activate: false \(AVAudioSession.ErrorCode.mediaServicesFailed.rawValue), elsewhere: true",
            ])
    }

    @Test func handler_callingBackIntoTheSession_doesNotDeadlock() {
        let history = History<Bool>()
        let session = session
        session.activate { _, _ in
            history.append(code { try session.setActive(false) } == 0)
        }
        // The grant is a message of its own, and may stand behind the first settling.
        machine.runtime.drain()
        machine.runtime.drain()
        #expect(history.entries == [true])
        #expect(!machine.runtime.state.activation.isActive)
    }

    @Test func handler_askingForTheSharedInstance_getsTheSessionThatAnswers() {
        let history = History<Bool>()
        let session = session
        session.activate { _, _ in history.append(AVAudioSession.sharedInstance() === session) }
        session.deactivate { _, _ in history.append(AVAudioSession.sharedInstance() === session) }
        machine.runtime.drain()
        #expect(history.entries == [true, true])
    }

    @Test func staleDeactivationSuperseded() async throws {
        let story = await SessionStory(of: session)
        try session.setActive(true)
        let history = History<String>()
        whileSessionIsBusy {
            session.deactivate { history.append("deactivate: \($0) \($1 == nil)") }
            session.activate { history.append("activate: \($0) \($1 == nil)") }
        }
        #expect(history.entries == ["deactivate: false true", "activate: true true"])
        #expect(story.newer.entries == ["active"])
        #expect(machine.runtime.state.activation.isActive)
    }

    @Test func deactivation_afterAnActivationThatIsQueued_isCarriedOut() async throws {
        let story = await SessionStory(of: session)
        let history = History<String>()
        whileSessionIsBusy {
            session.activate { isDone, _ in history.append("activate: \(isDone)") }
            session.deactivate { isDone, _ in history.append("deactivate: \(isDone)") }
        }
        #expect(!machine.runtime.state.activation.isActive)
        #expect(history.entries.count == 2)
        #expect(history.entries.contains("deactivate: true"))
        #expect(story.newer.entries.last != "active")
    }

    @Test func shutdown_whileAnActivationWaits_answersIt() async throws {
        let runtime = machine.runtime
        machine.host.refuseNextClaim(with: .refused("no"))
        runtime.shutdown()
        let error = await #expect(throws: NSError.self) { try await session.activate() }
        #expect(error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
    }
}
