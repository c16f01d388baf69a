/// The records of streams by their ids, and the ids in the order in which the streams appeared.
struct StreamTable: Hashable, Sendable {
    private(set) var ids: [UInt64] = []
    private var records: [UInt64: StreamRecord] = [:]

    /// In no order.
    var values: Dictionary<UInt64, StreamRecord>.Values { records.values }
    var inOrder: [StreamRecord] { ids.compactMap { records[$0] } }

    subscript(id: UInt64) -> StreamRecord? {
        get { records[id] }
        _modify {
            let wasThere = records[id] != nil
            defer {
                switch (wasThere, records[id] != nil) {
                case (false, true): ids.append(id)
                case (true, false): ids.removeAll { $0 == id }
                case (true, true), (false, false): break
                }
            }
            yield &records[id]
        }
    }

    mutating func removeAll(where isGone: (StreamRecord) -> Bool) {
        for id in ids where records[id].map(isGone) == true { self[id] = nil }
    }
}
