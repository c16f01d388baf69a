import AudioModel

@testable import GuardCore

/// Machines with a speaker and headphones, which are the default.
protocol GuardScenes {}

extension GuardScenes {
    func machine(_ options: GuardOptions = GuardOptions()) -> ModelMachine {
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        return machine
    }

    /// The machine where this program plays on the headphones.
    func playing(
        _ program: Program, role: String? = nil, target: String? = nil, _ options: GuardOptions = GuardOptions()
    ) -> ModelMachine {
        var machine = machine(options)
        machine.play(program, role: role, target: target)
        machine.settle()
        return machine
    }

    /// The same, so long after the headphones have left.
    func lost(
        _ program: Program, role: String? = nil, target: String? = nil, after seconds: Double = 0,
        _ options: GuardOptions = GuardOptions()
    ) -> ModelMachine {
        var machine = playing(program, role: role, target: target, options)
        machine.unplug("headphones")
        machine.wait(seconds: seconds)
        return machine
    }

    static var headphonesLost: Hold.Reason { Hold.Reason.lost(uid: "headphones", name: "headphones") }
}
