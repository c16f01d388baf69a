import CLilv
import CRealtime
import EngineCore

/// The instances of a plug-in for one shape of sound.
///
/// The render thread is in C only: `oav_lv2_process`. Sendable by rule: what the pointers name belongs to the thread that renders.
final class PluginProcessor: UnitProcessor, @unchecked Sendable {
    /// Frames of silence after which the output is judged, in seconds: longer echoes than this are cut.
    static let quietSeconds: Double = 10
    /// The longest delay that a plug-in may claim, in seconds: no sound that is heard is processed so late.
    private static let mostLatencySeconds: Float = 5

    /// Keeps the values.
    private let unit: PluginUnit
    private let instances: [PluginInstance]
    private let pointer: OpaquePointer
    let processor: oav_processor
    let latencyFrames: Int

    /// - Throws: there is no memory, or it claims too long a delay.
    init(
        _ unit: PluginUnit, _ instances: [PluginInstance], _ layout: PluginLayout, _ shape: ProcessorShape
    ) throws(GraphError) {
        let rate = shape.output.sampleRate
        var described = oav_lv2_layout(
            instances: UInt32(layout.instances), input_ports: UInt32(layout.inputPorts.count),
            output_ports: UInt32(layout.outputPorts.count), inputs: UInt32(layout.inputs),
            outputs: UInt32(layout.outputs), most_frames: UInt32(shape.maximumFrames), sample_rate: rate)
        let ports = unit.plugin.ports
        let created = oav_lv2_processor_create(
            instances.map { UnsafePointer($0.pointer) }, ports.map(\.connection), UInt32(ports.count), &described,
            UnsafeMutableRawPointer(unit.values).assumingMemoryBound(to: UInt32.self))
        guard let created else { throw .unitRefused(unit: unit.plugin.name, reason: "There is no memory for it.") }
        let latencyPort = ports.firstIndex(of: .measurement(isLatency: true))
        let latency = latencyPort.map { oav_lv2_processor_latency(created, UInt32($0)) } ?? 0
        guard latency <= Self.mostLatencySeconds * Float(rate) else {
            oav_lv2_processor_destroy(created)
            throw .unitRefused(
                unit: unit.plugin.name,
                reason: """
                    The plug-in \(unit.plugin.uri) says that its sound comes \(latency / Float(rate)) s late, and at most \
                    \(Self.mostLatencySeconds) s are possible: use another plug-in, or other settings of it.
                    """)
        }
        (self.unit, self.instances, pointer, latencyFrames) = (unit, instances, created, Int(latency))
        processor = oav_processor(
            process: { oav_lv2_process($0, $1) }, reset: nil,
            context: UnsafeMutableRawPointer(created), quiet_frames: UInt32(Self.quietSeconds * rate))
    }

    deinit { oav_lv2_processor_destroy(pointer) }
}

extension PluginPort {
    fileprivate var connection: oav_lv2_port {
        switch self {
        case .audio(isInput: true): OAV_LV2_INPUT
        case .audio(isInput: false): OAV_LV2_OUTPUT
        case .control(_, isOfSampleRate: false): OAV_LV2_CONTROL
        case .control(_, isOfSampleRate: true): OAV_LV2_RATE_CONTROL
        case .measurement: OAV_LV2_MEASUREMENT
        case .events(isInput: true): OAV_LV2_EVENTS_IN
        case .events(isInput: false): OAV_LV2_EVENTS_OUT
        case .unconnected: OAV_LV2_UNCONNECTED
        }
    }
}
