import AudioModel
import BusRig
import SessionBus
import Synchronization
import TestSupport

@testable import GuardCore
@testable import GuardRuntime

/// A guard's desktop on a bus of the test's own, without a guard: what its user asks is written down.
final class DesktopRig: Sendable {
    let address: String
    let requests = History<GuardRequest>()
    let bus: BusConnection
    private let desktop: SessionDesktop

    /// - Parameter answer: to every request.
    init(
        _ address: String, rate: RequestRate = .standard, answer: Result<Int, GuardRequest.Refusal> = .success(2)
    ) throws {
        self.address = address
        let words = GuardWords(sentence: { "\($0.watch)" })
        desktop = try SessionDesktop(address: address, rate: rate, words: words)
        bus = try BusConnection(address: address)
        desktop.start(
            onEvent: { _ in },
            onRequest: { [requests] request, reply in
                requests.append(request)
                reply(answer)
            })
    }

    deinit { desktop.shutdown() }

    func show(_ status: GuardStatus) { desktop.show(status) }

    func shutdown() { desktop.shutdown() }

    /// Waits until the service is there.
    func waitForTheService() async throws {
        let watcher = try BusConnection(address: address)
        let owners = History<String>()
        watcher.watchOwners(of: GuardService.name) { _, owner in if owner != nil { owners.append("owner") } }
        try owners.wait(for: "the service") { !$0.isEmpty }
    }

    func call(_ member: String, _ arguments: [BusValue] = []) async -> Result<[BusValue], BusError> {
        await bus.call(GuardService.name, GuardService.path, GuardService.name, member, arguments)
    }

    func property(_ name: String) async throws -> BusValue {
        try await bus.property(name, of: GuardService.name, GuardService.path, at: GuardService.name).get()
    }
}

extension GuardStatus {
    /// - Parameter seconds: since when they are held.
    static func holding(_ names: [String], seconds: Double = 5, isHeard: Bool = false) -> GuardStatus {
        var status = GuardStatus()
        let since = HostTime.monotonic
        status.held = names.enumerated().map { index, name in
            let program = Program(identity: .process(UInt32(index + 10)), name: name)
            let hold = Hold(
                reasons: [.lost(uid: "h", name: "Head\u{7}set")], since: since, order: index,
                activity: isHeard ? .unmoved : .standing)
            return HeldStream(
                ProgramStream(id: UInt64(index), program: program), hold, now: since.advanced(bySeconds: seconds))
        }
        return status
    }
}
