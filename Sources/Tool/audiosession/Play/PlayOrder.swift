/// The items of a queue in the order in which they play, and how far it is.
struct PlayOrder {
    private(set) var items: [PlayPlan.Item]
    /// The place of each item in the order that was given.
    private var places: [Int]
    /// Of the item that plays, or was last.
    private(set) var index = 0
    /// How often the items have begun again.
    private var rounds = 0
    /// How many in a row could not be played: a loop of those would never end.
    var failures = 0

    init(_ items: [PlayPlan.Item]) {
        self.items = items
        places = Array(items.indices)
    }

    var item: PlayPlan.Item? { items.indices.contains(index) ? items[index] : nil }

    /// nil for a single item.
    var place: String? { items.count > 1 ? "\(index + 1) of \(items.count)" : nil }

    /// It begins again in its player.
    var isOneFile: Bool { items.count == 1 && items[0].part == nil }

    /// - Parameter limit: how often everything plays; nil: without end.
    /// - Returns: nil after the last one, and where none can be played.
    func nextIndex(rounds limit: Int?) -> Int? {
        if failures == items.count { return nil }
        if index + 1 < items.count { return index + 1 }
        guard !isOneFile else { return nil }
        return limit.map { rounds + 1 < $0 } ?? true ? 0 : nil
    }

    mutating func moveOn(to next: Int) {
        if next == 0 { rounds += 1 }
        index = next
    }

    /// To an item that a person chooses: no round begins.
    mutating func jump(to other: Int) { index = other }

    func content(of picker: ListPicker) -> ListPicker.Content {
        picker.content(count: items.count, playing: index) { items[$0].title ?? items[$0].shortName }
    }

    /// - Parameter first: the items from here on.
    mutating func arrange(from first: Int, isShuffled: Bool) {
        guard first < items.count else { return }
        let rest = zip(items[first...], places[first...])
        let ordered = isShuffled ? rest.shuffled() : rest.sorted { $0.1 < $1.1 }
        items.replaceSubrange(first..., with: ordered.map(\.0))
        places.replaceSubrange(first..., with: ordered.map(\.1))
    }
}
