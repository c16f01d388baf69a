import OpenAVFAudioTestKit

/// Controls the simulated machine that replaces a missing sound server: plugs devices by name, and reports which play.
@MainActor
final class Desk {
    private let simulator: AudioSimulator
    private var plugged: [AudioSimulator.Device] = []

    static let devices: KeyValuePairs<String, AudioSimulator.Device> = [
        "headphones": .wiredHeadphones, "hdmi": .hdmi, "usb": .usbHeadphones, "line": .lineOut,
    ]

    init(_ simulator: AudioSimulator) {
        self.simulator = simulator
        for line in ["+headphones", "+hdmi"] { _ = take(line) }
    }

    /// "+hdmi" plugs the device in, "-hdmi" unplugs it.
    ///
    /// - Returns: whether the line was one of these.
    func take(_ line: String) -> Bool {
        let name = line.dropFirst()
        switch line.first {
        case "+": return plug(name)
        case "-": return unplug(name)
        default: return false
        }
    }

    private func plug(_ name: Substring) -> Bool {
        guard let device = Self.devices.first(where: { $0.key == name })?.value else { return false }
        if !plugged.contains(device) {
            plugged.append(device)
            simulator.plug(device)
        }
        return true
    }

    private func unplug(_ name: Substring) -> Bool {
        guard let device = Self.devices.first(where: { $0.key == name })?.value else { return false }
        if plugged.contains(device) {
            plugged.removeAll { $0 == device }
            simulator.unplug(device)
        }
        return true
    }

    /// Advances by half a second and names the devices that played in its second half.
    func listen() -> String {
        simulator.advance(bySeconds: 0.25)
        let start = simulator.now
        simulator.advance(bySeconds: 0.25)
        let loud = plugged.filter { simulator.loudFrames(of: $0, since: start) > 0 }
        return "   sounds on: " + (loud.isEmpty ? "nothing" : loud.map(\.name).joined(separator: ", "))
    }
}
