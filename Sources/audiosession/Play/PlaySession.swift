import OpenAVFAudio

/// A run of `play`, and of the commands that play a file in the same way.
struct PlaySession {
    var plan: PlayPlan
    /// nil follows the session's route.
    var device: DeviceSelector?
    /// nil for the library's default.
    var host: AudioSessionHost?
    var style: CommandRun.Style

    /// Main thread.
    ///
    /// - Returns: false if an error was reported during the run.
    /// - Throws: `BackendError` if the run cannot begin.
    func run() throws(BackendError) -> Bool {
        try CommandRun(settings: plan.settings, host: host, style: style).run {
            [plan, device] context throws(BackendError) -> PlayRunner in
            let backend = context.backend
            let query = DeviceQuery(
                usable: backend.outputs.all, connected: backend.ports.outputs, category: plan.settings.category)
            var plan = try plan.selecting(device, in: query)
            plan.isInteractive = context.isInteractive
            if plan.choice != .automatic { try backend.choose(plan.choice) }
            return PlayRunner(context, plan: plan)
        }
    }
}
