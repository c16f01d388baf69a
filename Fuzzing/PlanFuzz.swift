/// An engine's graph under every edit, while it plays.
enum PlanFuzz {
    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        do {
            var world: RandomPlans? = try RandomPlans()
            while !bytes.isAtEnd {
                EventCount.note()
                let fault = try world?.step(using: &bytes)
                require(fault == nil, fault ?? "")
            }
            let units = world?.allUnits ?? []
            world = nil
            require(!RandomPlans.leaves(units), "a processor is left")
        } catch {
            fatalError("\(error)")
        }
    }
}
