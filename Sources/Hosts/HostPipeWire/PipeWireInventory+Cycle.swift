extension PipeWireInventory {
    private static let defaultCycle = 1024
    private static let cycles = 16.0...8192.0
    /// At most two cycles can still reach the speaker when a jack is pulled out: 5.3 ms each.
    private static let privateCycle = 256

    /// The cycle that an output stream linked to these targets asks for, in frames at 48 kHz.
    ///
    /// One jack beside a speaker is enough: all targets run at the shortest cycle that any stream asks for.
    ///
    /// - Parameter preferredSeconds: 0 or less for none; the nearest from 16 to 8192 frames.
    package func cycleFrames(preferredSeconds: Double, targets: [PipeWireStreamTracker.Target]) -> Int {
        let preferred =
            preferredSeconds > 0
            ? Int(min(max(preferredSeconds * 48_000 + 0.5, Self.cycles.lowerBound), Self.cycles.upperBound))
            : Self.defaultCycle
        return targets.contains(where: isJackBesideSpeaker) ? min(preferred, Self.privateCycle) : preferred
    }

    /// A wired jack can be pulled out of a card that then has only its speaker left.
    private func isJackBesideSpeaker(_ target: PipeWireStreamTracker.Target) -> Bool {
        guard let node = nodes[target.nodeID], node.direction == .output,
            let device = node.deviceID.flatMap({ devices[$0] })
        else { return false }
        let routes = device.routes(of: node)
        return routes.contains { $0.index == target.routeIndex && $0.isWornOnTheEar }
            && routes.contains(where: \.isSpeaker)
    }
}
