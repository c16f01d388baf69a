import EngineCore

/// A node of the graph, and what its engine needs for it.
struct AttachedNode {
    let controller: NodeController
    /// That the node is rendered by: the engine's, or an island's.
    private(set) var renderer: EngineRenderer?
    var work = Work.none
    var tap: TapController?

    /// What the renderer has of the node alone; the gains of a plan have the rest.
    enum Work {
        /// A mixer, an output, a sink, and each node before it is prepared; to the others.
        case none
        /// The node is a source of its part of the graph; to none. `cycleShape` is what the feed was made for, where its
        /// frames are made in the cycle.
        case feed(SourceFeed, cycleShape: SourceShape?)
        /// The node is a processor that is heard; to none.
        case processor(AttachedProcessor)
    }

    init(controller: NodeController) { self.controller = controller }

    var feed: SourceFeed? { if case .feed(let feed, _) = work { feed } else { nil } }

    var processor: AttachedProcessor? { if case .processor(let processor) = work { processor } else { nil } }

    var slot: ProcessorSlot? { if case .running(let slot) = processor { slot } else { nil } }

    /// Whether it has a feed that does for this shape.
    func isFed(channels: Int, _ cycleShape: SourceShape?) -> Bool {
        guard case .feed(let feed, let current) = work else { return false }
        return feed.channels == channels && current == cycleShape
    }

    /// What another renderer has worked on is not used here.
    mutating func leaveRenderer(for other: EngineRenderer?) {
        renderer = other
        work = .none
    }
}
