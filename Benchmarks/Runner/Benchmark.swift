import ArgumentParser

/// What there is to measure.
enum Benchmark: String, CaseIterable, ExpressibleByArgument {
    case pauseLatency = "pause-latency"
    case continueLatency = "continue-latency"
    case interruptionLatency = "interruption-latency"
    case leak
    case footprint
    case fileFootprint = "file-footprint"
    case resumption
    case render
    case mix
    case effects
    case alignment
    case monitoring
    case processors
    case scenes

    func run(_ rounds: Rounds) throws -> Report {
        switch self {
        case .pauseLatency: try PauseLatency.measure(rounds)
        case .continueLatency: try ContinueLatency.measure(rounds)
        case .interruptionLatency: try InterruptionLatency.measure(rounds)
        case .leak: try Leak.measure(rounds)
        case .footprint: try Footprint.measure(rounds)
        case .fileFootprint: try FileFootprint.measure(rounds)
        case .resumption: try Resumption.measure(rounds)
        case .render: try RenderSpeed.measure(rounds)
        case .mix: try MixSpeed.measure(rounds)
        case .effects: try EffectSpeed.measure(rounds)
        case .alignment: try Alignment.measure(rounds)
        case .monitoring: try Monitoring.measure(rounds)
        case .processors: try Processors.measure(rounds)
        case .scenes: try SceneSpeed.measure(rounds)
        }
    }
}
