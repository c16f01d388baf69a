/// Catches the sound of the default output when that output leaves.
extension GuardMachine {
    /// Whether the default output's sound is caught when the output leaves, and the reason if not.
    package var watch: Watch { scene.hasSettled && scene.manager != .absent ? catching.watch(catchScene) : .notNeeded }

    /// The output that is watched; untrusted text, nil if none is.
    package var watchedOutput: String? { watch == .watched ? guardedDefault?.name : nil }

    mutating func settleCatch() {
        guard scene.hasSettled, scene.manager == .present, arming.emptied == nil else { return }
        if let step = catching.settle(catchScene) { command(step) }
    }

    mutating func advanceCatch() {
        let isDue = catching.deadline.map { $0 <= now } ?? false
        let mistakes = catching.mistakes
        if let step = catching.letTimePass(hasArrived: book.hasEveryStreamArrived, now: now) { command(step) }
        if mistakes == 0, catching.mistakes == 1 { effects.append(.report(GuardReport(.cannotCatch, name: ""))) }
        if isDue { settleCatch() }
    }

    private var guardedDefault: GuardOutput? {
        guard scene.options.scope.guards, case .sink(let name) = outputs.defaultSink else { return nil }
        return outputs.outputs.first { $0.sink == name && $0.isActive && scene.isGuarded($0) }
    }

    private var catchScene: Catching.Scene {
        var target = Catching.Target.notNeeded
        if guardedDefault != nil { target = CatchPriority.priority(for: outputs).map { .priority($0) } ?? .noRoom }
        return Catching.Scene(
            target: target, isDefault: outputs.defaultSink == .catch, isThere: outputs.hasCatch || scene.isDryRun,
            now: now)
    }
}
