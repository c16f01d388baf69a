/// Names one app of a simulated machine: its place in `MachineState.apps`, which is never used again.
struct AppID: Hashable, Sendable {
    let index: Int
}
