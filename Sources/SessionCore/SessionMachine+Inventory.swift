internal import AudioModel

extension SessionMachine {
    mutating func chooseOutput(_ uid: String?, at time: HostTime) -> [SessionEffect] {
        // A choice we cannot follow is no choice; the host tells it again when the port is back.
        state.chosenOutputUID = state.inventory.outputs.first { $0.uid == uid }?.uid
        return reroute(.userChoice, at: time)
    }

    mutating func takeInventory(_ inventory: Inventory, at time: HostTime) -> [SessionEffect] {
        guard state.isConnected else {
            state.inventoryAfterLoss = inventory
            return []
        }
        let inputsBefore = availableInputUIDs
        let isFirst = !state.hasInventory
        if !isFirst { noteArrivals(in: inventory, at: time) }
        state.inventory = inventory
        state.arrivalOrder.note(inventory)
        state.hasInventory = true
        state.doubtedOutputUIDs = []
        state.doubtTime = nil
        if !inventory.outputs.contains(where: { $0.uid == state.chosenOutputUID }) { state.chosenOutputUID = nil }
        let cause: RerouteCause = isFirst ? .firstInventory : state.isFreshlyReset ? .reset : .inventory
        state.isFreshlyReset = false
        let effects = reroute(
            cause, at: time, inputsBefore: isFirst ? availableInputUIDs : inputsBefore)
        return effects + interruptForDisconnect(after: effects)
    }

    private mutating func noteArrivals(in inventory: Inventory, at time: HostTime) {
        let known = Set(state.inventory.ports.map(PortIdentity.init))
        let present = Set(inventory.ports.map(PortIdentity.init))
        state.arrivals = state.arrivals.filter {
            present.contains($0.key) && time.seconds(since: $0.value) <= Self.arrivalSeconds
        }
        for identity in present.subtracting(known) { state.arrivals[identity] = time }
    }
}
