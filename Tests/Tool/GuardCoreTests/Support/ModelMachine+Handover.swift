import AudioModel

@testable import GuardCore

// Guards that end after another one.
extension ModelMachine {
    /// Those that have handed over, or can no more, end.
    mutating func endGuardsThatLeave() {
        while let index = guards.firstIndex(where: { $0.handover != nil || $0.machine.hasHandedOver }), guards.count > 1
        {
            killGuard(index)
            settle()
        }
    }

    /// The guard that has the server is asked to hand over, and ends when the next one has what it held.
    ///
    /// - Returns: whether that happened.
    mutating func handOver(withinSeconds seconds: Double = 1) -> Bool {
        let claim = guards[ownerIndex].claim
        ask(.handoverRequested)
        wait(seconds: seconds)
        guard let index = guards.firstIndex(where: { $0.claim == claim }), guards[index].machine.hasHandedOver
        else { return false }
        killGuard(index)
        settle()
        return true
    }
}
