import Foundation
import HostSimulated
import PipeWireRig
import SimulatedControls

// What microphones pick up.

extension SimulatedWorld {
    func speak(into device: WorldDevice) {
        host.setInput(of: self.device(device).uid) { frame, _ in
            // The rig's tone: its crest is frame 12 of 48.
            0.5 * Float(sin(Double(frame % 48) * (2 * Double.pi / 48)))
        }
    }
}

extension PipeWireWorld {
    func speak(into device: WorldDevice) throws {
        guard let source = devices.withLock({ $0.sources[device] }) else { throw NothingToHear() }
        source.play(frames: nil)
    }
}
