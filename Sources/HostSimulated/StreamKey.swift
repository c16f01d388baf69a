import AudioModel

/// Names one stream among all apps' streams; each app counts its own from 1.
struct StreamKey: Hashable, Sendable {
    let app: AppID
    let id: StreamID

    var number: UInt64 { id.number }
}
