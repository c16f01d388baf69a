package import EngineCore

/// What a node is, with what only such a node has; constant for its life.
package enum NodeRole: Sendable {
    case player(PlayerNodeController)
    /// An app's block that makes frames.
    case block(SourceNodeController)
    case input(InputNodeController)
    case mixer
    /// Changes the number of frames; the source makes the frames of what lies before it.
    case timeEffect(TimeEffectController, IslandSource)
    /// An effect of this library or a plug-in.
    case effect(any ParameterizedUnit)
    case environment(SpaceUnit)
    /// A unit of the app's.
    case hosted(any ProcessorUnit)
    case output
    case sink(SinkNodeController)

    /// What the node is in a graph.
    package var kind: NodeKind {
        switch self {
        case .player, .block, .input: .source
        case .mixer: .mixer
        case .timeEffect: .timeEffect
        case .effect, .environment, .hosted: .processor
        case .output: .output
        case .sink: .sink
        }
    }

    /// What makes frames; nil for a node that makes none.
    package var source: (any EngineSource)? {
        switch self {
        case .player(let source): source
        case .block(let source): source
        case .input(let source): source
        case .timeEffect(_, let source): source
        case .mixer, .effect, .environment, .hosted, .output, .sink: nil
        }
    }

    /// What processes sound in the cycle; nil for a node that does not.
    package var unit: (any ProcessorUnit)? {
        switch self {
        case .effect(let unit): unit
        case .environment(let unit): unit
        case .hosted(let unit): unit
        case .player, .block, .input, .mixer, .timeEffect, .output, .sink: nil
        }
    }

    package var effect: (any ParameterizedUnit)? { if case .effect(let unit) = self { unit } else { nil } }

    package var timeEffect: TimeEffectController? { if case .timeEffect(let effect, _) = self { effect } else { nil } }

    package var sink: SinkNodeController? { if case .sink(let sink) = self { sink } else { nil } }

    package var input: InputNodeController? { if case .input(let input) = self { input } else { nil } }

    package var block: SourceNodeController? { if case .block(let block) = self { block } else { nil } }

    /// Whether the node has a channel map.
    var isMappable: Bool {
        switch self {
        case .player, .input, .output: true
        case .block, .mixer, .timeEffect, .effect, .environment, .hosted, .sink: false
        }
    }
}
