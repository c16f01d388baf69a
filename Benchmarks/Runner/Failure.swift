import Foundation

/// Why a benchmark could not be finished.
struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// Looks every millisecond, for at most 10 s, whether something has become true.
func wait(for what: String, _ condition: () throws -> Bool) throws {
    let deadline = Clock.nanoseconds + 10_000_000_000
    while try !condition() {
        guard Clock.nanoseconds < deadline else { throw Failure("Timed out after 10 s of waiting for \(what).") }
        usleep(1000)
    }
}
