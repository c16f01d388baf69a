import ArgumentParser

/// What `--events` takes.
enum EventStyle: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
