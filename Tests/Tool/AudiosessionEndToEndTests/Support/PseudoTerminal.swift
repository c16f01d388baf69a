import CToolRun
import Foundation
import Synchronization

/// A terminal of 80 × 24 characters whose screen and keys a test controls.
final class PseudoTerminal: Sendable {
    /// The test's side: it writes keys and reads the screen.
    let primary: Int32
    /// The program's side, as a file.
    let path: String
    /// Held open so that the terminal outlives the program.
    private let secondary: Mutex<Int32>
    private let left = Mutex<termios?>(nil)

    init() throws {
        var name = [CChar](repeating: 0, count: 128)
        primary = oav_tool_open_terminal(&name, name.count)
        guard primary >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: -primary) ?? .ENOTTY) }
        path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        secondary = Mutex(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(primary, UInt(TIOCSWINSZ), &size) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOTTY)
        }
    }

    deinit {
        closeSecondary()
        close(primary)
    }

    /// The bytes of the terminal's settings: now, or as they were when the program had ended.
    var settings: [UInt8] {
        var settings = left.withLock { $0 } ?? Self.read(primary)
        return withUnsafeBytes(of: &settings) { Array($0) }
    }

    func closeSecondary() {
        secondary.withLock {
            guard $0 >= 0 else { return }
            let last = Self.read($0)
            left.withLock { $0 = last }
            close($0)
            $0 = -1
        }
    }

    private static func read(_ descriptor: Int32) -> termios {
        var settings = termios()
        tcgetattr(descriptor, &settings)
        return settings
    }
}
