import CLilv
package import EffectCore
package import EngineCore
import Synchronization

/// A plug-in as an effect: its settings, and the processors that run it.
///
/// Any thread but the render thread. `@unchecked Sendable`: what the pointers name are atomics, which live as long as this object;
/// processors keep it.
package final class PluginUnit: ParameterizedUnit, @unchecked Sendable {
    package let plugin: Plugin
    private let library: PluginLibrary
    /// By port: the bits of the newest value; then 1 for a bypass, else 0.
    let values: UnsafeMutablePointer<Atomic<UInt32>>
    package let ramps: ParameterRamps
    private let parametersByAddress: [UInt64: UnitParameter]

    /// - Parameter library: has the plug-in.
    package init(_ plugin: Plugin, of library: PluginLibrary = .shared) {
        (self.plugin, self.library) = (plugin, library)
        values = .allocate(capacity: plugin.ports.count + 1)
        for (index, port) in plugin.ports.enumerated() {
            let value: Float = if case .control(let value, _) = port { value } else { 0 }
            (values + index).initialize(to: Atomic(value.bitPattern))
        }
        (values + plugin.ports.count).initialize(to: Atomic(0))
        ramps = ParameterRamps(cells: values, counter: nil)
        parametersByAddress = Dictionary(plugin.parameters.map { ($0.address, $0) }) { first, _ in first }
    }

    deinit {
        values.deinitialize(count: plugin.ports.count + 1)
        values.deallocate()
    }

    package var parameters: [UnitParameter] { plugin.parameters }

    package func value(at address: UInt64) -> Float? {
        guard parametersByAddress[address] != nil else { return nil }
        return Float(bitPattern: values[Int(address)].load(ordering: .relaxed))
    }

    package func setValue(_ value: Float, at address: UInt64) {
        guard let value = inRange(value, at: address) else { return }
        values[Int(address)].store(value.bitPattern, ordering: .relaxed)
    }

    package func schedule(_ value: Float, at address: UInt64, from sampleTime: Int64, rampFrames: UInt32) {
        guard let value = inRange(value, at: address) else { return }
        ramps.put(value, in: Int(address), at: sampleTime, rampFrames: rampFrames)
    }

    /// Nil for what is no number, and for an address that the plug-in does not have, or only reports.
    private func inRange(_ value: Float, at address: UInt64) -> Float? {
        guard let parameter = parametersByAddress[address], parameter.isWritable, !value.isNaN else { return nil }
        return min(max(value, parameter.range.lowerBound), parameter.range.upperBound)
    }

    package var isBypassed: Bool {
        get { values[plugin.ports.count].load(ordering: .relaxed) != 0 }
        set { values[plugin.ports.count].store(newValue ? 1 : 0, ordering: .relaxed) }
    }

    /// LV2 has no word for it: rendering goes on until the output is quiet.
    package var tailSeconds: Double { PluginProcessor.quietSeconds }

    package func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
        guard (1...768_000).contains(shape.output.sampleRate), shape.inputs.count == 1 else {
            throw .unitRefused(unit: title, reason: "It takes one input at 1 to 768000 Hz, not \(shape.output).")
        }
    }

    package func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        try check(shape, title: plugin.name)
        let layout = PluginLayout(
            plugin, inputs: shape.inputs[0].channels.count, outputs: shape.output.channels.count)
        var instances: [PluginInstance] = []
        for _ in 0..<layout.instances {
            do throws(Lilv.NoInstance) {
                instances.append(
                    try library.instantiate(
                        plugin, sampleRate: shape.output.sampleRate, maximumFrames: shape.maximumFrames))
            } catch {
                throw .unitRefused(
                    unit: plugin.name,
                    reason:
                        "The plug-in \(plugin.uri) makes no instance for \(shape.output.sampleRate) Hz (\(error.reason)): "
                        + "see whether its package is complete.")
            }
        }
        return try PluginProcessor(self, instances, layout, shape)
    }
}

/// How the channels of a bus and the audio ports of a plug-in go together.
///
/// - A plug-in with one port on each side has an instance for each channel.
/// - Mono sound goes into all ports; a plug-in with one input gets the mean of the channels.
/// - One output goes to all channels; a mono bus gets the mean of the outputs.
/// - Otherwise channels and ports go together by their places, and what is left over is silent.
struct PluginLayout: Hashable {
    /// Of the plug-in.
    let inputPorts: [Int]
    let outputPorts: [Int]
    let inputs: Int
    let outputs: Int

    init(_ plugin: Plugin, inputs: Int, outputs: Int) {
        let ports = { (isInput: Bool) in plugin.ports.indices.filter { plugin.ports[$0] == .audio(isInput: isInput) } }
        (inputPorts, outputPorts) = (ports(true), ports(false))
        (self.inputs, self.outputs) = (inputs, outputs)
    }

    private var isForEachChannel: Bool { inputPorts.count == 1 && outputPorts.count == 1 && inputs == outputs }

    var instances: Int { isForEachChannel ? outputs : 1 }
}
