import EngineCore

/// A processor that a graph needs; no lock is held while its unit, which may be the app's, is asked for it.
struct WantedProcessor {
    var node: NodeID
    /// Of the node, for people.
    var title: String
    var unit: any ProcessorUnit
    var shape: ProcessorShape

    func make() throws(GraphError) -> any UnitProcessor {
        try unit.check(shape, title: title)
        return try unit.makeProcessor(shape)
    }

    /// Throws for sound that the unit does not take at all.
    ///
    /// Apps connect one side of a node after the other: between the two its output may still have the old format.
    func checkForConnection() throws(GraphError) {
        do {
            try unit.check(shape, title: title)
        } catch {
            var later = shape
            later.output = shape.inputs.first ?? shape.output
            if later == shape { throw error }
            try unit.check(later, title: title)
        }
    }
}

/// What has come of a node's unit in a renderer.
enum AttachedProcessor {
    case running(ProcessorSlot)
    /// The unit makes none for this shape: the node is silent.
    case refused(ProcessorShape, GraphError)

    var shape: ProcessorShape {
        switch self {
        case .running(let slot): slot.shape
        case .refused(let shape, _): shape
        }
    }
}
