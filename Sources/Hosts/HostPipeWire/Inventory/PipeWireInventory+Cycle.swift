extension PipeWireInventory {
    private static let defaultCycle = 1024
    private static let cycles = 16.0...8192.0
    /// When a jack is unplugged, at most two more cycles can reach the speaker: 5.3 ms each.
    private static let privateCycle = 256

    /// The cycle that an output stream with these targets requests, in frames at 48 kHz.
    ///
    /// One jack beside a speaker is enough: all targets run at the shortest cycle that any stream requests.
    ///
    /// - Parameter preferredSeconds: 0 or less for none; limited to 16 to 8192 frames.
    package func cycleFrames(preferredSeconds: Double, targets: [PipeWireStreamTracker.Target]) -> Int {
        let preferred =
            preferredSeconds > 0
            ? Int(min(max(preferredSeconds * 48_000 + 0.5, Self.cycles.lowerBound), Self.cycles.upperBound))
            : Self.defaultCycle
        return targets.contains(where: isJackBesideSpeaker) ? min(preferred, Self.privateCycle) : preferred
    }

    /// Whether a wired jack can be unplugged from a card that then has only its speaker left.
    private func isJackBesideSpeaker(_ target: PipeWireStreamTracker.Target) -> Bool {
        guard let node = nodes[target.nodeID], node.direction == .output,
            let device = node.deviceID.flatMap({ devices[$0] })
        else { return false }
        let routes = device.routes(of: node)
        return routes.contains { $0.index == target.routeIndex && $0.isWornOnTheEar }
            && routes.contains(where: \.isSpeaker)
    }
}
