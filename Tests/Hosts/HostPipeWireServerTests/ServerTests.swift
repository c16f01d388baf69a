import Testing

/// What the PipeWire host does on a real server: each test has a private one of its own.
///
/// Serialized: every test runs three daemons, and counts what its process holds.
@Suite("PipeWire host on a server", .serialized)
enum ServerTests {}
