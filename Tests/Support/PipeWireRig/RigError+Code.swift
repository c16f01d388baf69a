import Foundation

extension RigError {
    static func text(of code: Int32) -> String {
        "\(String(cString: strerror(abs(code)))), code \(code)"
    }

    /// Throws what a negative result of a C function means.
    static func check(
        _ code: Int32, _ operation: @autoclosure () -> String, timeout: Duration, seen: @autoclosure () -> String = ""
    ) throws(RigError) {
        guard code < 0 else { return }
        switch -code {
        case ENOTSUP: throw .headersMissing
        case EPIPE: throw .serverLost(operation: operation())
        case ETIMEDOUT: throw .timedOut(waitingFor: operation(), after: timeout, seen: seen())
        default: throw .failed(operation: operation(), code: code)
        }
    }
}

extension Duration {
    /// For the C functions, which take a timeout in nanoseconds from now.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }
}
