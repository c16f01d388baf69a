package import EffectCore
package import EngineCore
internal import SessionRuntime
import Synchronization

/// The unit of an environment node: places what is connected to it around a listener.
///
/// Any thread. Under the engine's lock `setSources` computes what each bus sounds like, some microseconds each.
package final class SpaceUnit: ProcessorUnit {
    package let inputCount: Int? = nil
    package let room = SpaceRoom()
    private let headFilters: @Sendable (Double) -> (any HeadFilters)?
    private let state = Mutex(State())

    private struct State {
        var scene = SpaceScene()
        var output = OutputType.automatic
        var isOnHeadphones = false
        var sources: [SpaceSource?] = []
        var processors: [WeakBox<SpaceProcessor>] = []

        /// Gives every bus of every processor its place.
        mutating func place() {
            var scene = scene
            scene.isOnHeadphones =
                switch output {
                case .headphones: true
                case .automatic: isOnHeadphones
                case .builtInSpeakers, .externalSpeakers: false
                }
            processors.removeAll { $0.object == nil }
            for processor in processors.lazy.compactMap(\.object) {
                for bus in processor.inputChannels.indices {
                    guard sources.indices.contains(bus), let source = sources[bus] else { continue }
                    processor.place(
                        bus: bus,
                        scene.placing(
                            source.mixing, volume: source.volume, channels: processor.inputChannels[bus],
                            hasHeadFilters: processor.hasHeadFilters))
                }
            }
        }
    }

    /// As Apple's numbers are.
    package enum OutputType: Int, Sendable { case automatic = 0, headphones, builtInSpeakers, externalSpeakers }

    /// - Parameter headFilters: of a sample rate; control threads, and the first call may read a file. Nil where there are none:
    ///   sources are panned.
    package init(headFilters: @escaping @Sendable (_ sampleRate: Double) -> (any HeadFilters)?) {
        self.headFilters = headFilters
    }

    package func check(_ shape: ProcessorShape, title: String) throws(GraphError) {}

    package func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        // Read before the lock: the first time it opens a file.
        let filters = shape.output.channels.count == 1 ? nil : headFilters(shape.output.sampleRate)
        let processor = SpaceProcessor(
            inputChannels: shape.inputs.map(\.channels.count), sampleRate: shape.output.sampleRate,
            maximumFrames: shape.maximumFrames, filters: filters, room: room)
        state.withLock {
            $0.processors.append(WeakBox(processor))
            $0.place()
        }
        return processor
    }

    package var scene: SpaceScene { state.withLock { $0.scene } }

    package func change(_ body: (inout SpaceScene) -> Void) {
        state.withLock {
            body(&$0.scene)
            $0.place()
        }
    }

    package var output: OutputType {
        get { state.withLock { $0.output } }
        set {
            state.withLock {
                $0.output = newValue
                $0.place()
            }
        }
    }

    /// - Parameters:
    ///   - sources: by input bus; nil where nothing is connected.
    ///   - isOnHeadphones: the route is one of headphones.
    func setSources(_ sources: [SpaceSource?], isOnHeadphones: Bool) {
        state.withLock { state in
            guard state.sources != sources || state.isOnHeadphones != isOnHeadphones else { return }
            (state.sources, state.isOnHeadphones) = (sources, isOnHeadphones)
            state.place()
        }
    }

    /// Whether sources can be rendered for a head; the first call opens a file.
    package func hasHeadFilters(sampleRate: Double) -> Bool { headFilters(sampleRate) != nil }
}

/// What is set on a source of an environment, and its volume.
struct SpaceSource: Hashable, Sendable {
    var mixing: SpaceMixing
    var volume: Float
}

/// `place` is called under the unit's lock.
extension SpaceProcessor: UnitProcessor {}
