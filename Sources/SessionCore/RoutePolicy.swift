package import AudioModel

/// Which ports a session uses. Pure: the same facts give the same route.
package enum RoutePolicy {
    package static func hasInput(_ category: SessionCategory) -> Bool {
        switch category {
        case .record, .playAndRecord, .multiRoute: true
        case .ambient, .soloAmbient, .playback: false
        }
    }

    package static func hasOutput(_ category: SessionCategory) -> Bool {
        switch category {
        case .record: false
        case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
        }
    }
}
