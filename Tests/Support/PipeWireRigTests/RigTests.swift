import Testing

/// Every suite that starts servers: one server at a time, so that the counts are not those of an overloaded machine.
@Suite(.serialized)
enum RigTests {}
