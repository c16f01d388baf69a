internal import CPipeWireShims

/// The shim's host, as a value that threads can hand on.
///
/// Rule: created by `PipeWireHost.start`, used on the session thread, freed by `shutdown` after the last stream; the
/// shim locks its own loop in every function.
struct PipeWireConnection: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// Room for the shim's words about a failure.
func withShimText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> (R, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
        text.initialize(repeating: 0)
        let result = body(text.baseAddress!, text.count)
        return (result, String(cString: text.baseAddress!))
    }
}
