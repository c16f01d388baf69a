/// What a measurement brings that nothing disturbed, or what the last of ten brings.
///
/// A busy machine keeps the server, or this process, from a cycle now and then, and frames are then late or missing. What
/// is wrong in each of ten measurements is the rig's.
func undisturbed<Value>(_ isGood: (Value) -> Bool, measure: () throws -> Value) rethrows -> Value {
    for _ in 1..<10 {
        let value = try measure()
        if isGood(value) { return value }
    }
    return try measure()
}
