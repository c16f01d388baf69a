import ArgumentParser

/// Which host to play on.
enum HostChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    case pipewire
    case simulated
    /// PipeWire where a server answers, else simulated.
    case auto
}
