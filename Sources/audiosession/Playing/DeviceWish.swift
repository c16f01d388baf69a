import AudioModel
import SessionCore

/// Where a person wants the sound to go, before anybody has looked what there is.
enum DeviceWish: Hashable, Sendable {
    /// The uid or the name of an output.
    case device(String)
    case portType(PortKind)
    /// The uid, the name or the port type of the output of each file, in their order.
    case perFile([String])
}

extension PlayPlan {
    /// The plan with outputs that are there.
    ///
    /// - Throws: `StudioError` for a name that no output has, and for one that two files have.
    func following(_ wish: DeviceWish?, among query: DeviceQuery) throws(StudioError) -> PlayPlan {
        var plan = self
        switch wish {
        case nil: break
        case .device(let name): plan.choice = .port(uid: try query.resolve(name).uid)
        case .portType(let kind):
            try query.expect(kind)
            plan.choice = .kind(kind)
        case .perFile(let names):
            for (index, name) in names.enumerated() {
                let output = try query.resolve(name, takesPortTypes: true)
                if let other = plan.items[..<index].first(where: { $0.output == output }) {
                    throw StudioError(
                        code: "deviceNamedTwice",
                        message: "'\(output.name.printable)' is to play both '\(other.name.printable)' and "
                            + "'\(items[index].name.printable)'. Give each file an output of its own.")
                }
                plan.items[index].output = output
            }
        }
        return plan
    }
}
