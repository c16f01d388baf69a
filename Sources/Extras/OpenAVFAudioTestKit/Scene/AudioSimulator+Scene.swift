internal import Foundation
internal import OpenAudioSession
@_exported public import SceneCore
internal import SceneRuntime
internal import SessionRuntime
internal import Synchronization

extension AudioSimulator {
    /// Why a scene cannot be performed.
    public struct SceneFault: Error, CustomStringConvertible {
        /// What is wrong, and what to do next.
        public let description: String
    }

    /// Runs `body` with a simulator for a scene, and returns what came of the scene.
    ///
    /// `body` makes the app's objects, and calls ``perform(playing:isolation:_:)`` once:
    ///
    ///     let history = try await AudioSimulator.run(scene) { phone in
    ///         let player = MusicPlayer()
    ///         try await phone.perform { action in
    ///             if action == .play { try player.play() }
    ///         }
    ///     }
    ///     XCTAssert(history.failures.isEmpty, history.text)
    ///
    /// - Parameters:
    ///   - scene: its machine, its events and its expectations.
    ///   - isolation: the caller's.
    ///   - body: within it, `AVAudioSession.sharedInstance()` is the simulator's session.
    /// - Returns: what happened, with the expectations that were not met.
    /// - Throws: what `body` throws, and ``SceneFault`` if it did not perform the scene.
    @discardableResult
    public static func run(
        _ scene: AudioScene, isolation: isolated (any Actor)? = #isolation,
        _ body: (AudioSimulator) async throws -> Void
    ) async throws -> SceneHistory {
        try await AudioSimulator(scene).use { simulator in
            try await body(simulator)
            return try simulator.finishedHistory()
        }
    }

    /// Performs the scene of the current test; see ``perform(playing:isolation:_:)``.
    ///
    /// - Throws: ``SceneFault`` in a test without a scene.
    @discardableResult
    public static func performScene(
        playing original: [Float] = [], isolation: isolated (any Actor)? = #isolation,
        _ app: (AudioScene.Action) async throws -> Void = { _ in }
    ) async throws -> SceneHistory {
        guard let current else {
            throw SceneFault(
                description:
                    "There is no simulator here: give the test the trait .scene(…), or call AudioSimulator.run.")
        }
        return try await current.perform(playing: original, isolation: isolation, app)
    }

    /// Performs the simulator's scene from its begin to its end, in virtual time.
    ///
    /// - Parameters:
    ///   - original: what the app plays, one channel at 48 kHz, for scenes with `expect position continues`.
    ///   - isolation: the caller's.
    ///   - app: does what the scene has the app do (`player plays`, `session activates`…) with the app's own code; it returns when
    ///     the app has been asked. An error is in the history, where an expectation may find it.
    /// - Returns: what happened, with the expectations that were not met.
    /// - Throws: ``SceneFault`` for a simulator without a scene, and for a scene that was performed already.
    @discardableResult
    public func perform(
        playing original: [Float] = [], isolation: isolated (any Actor)? = #isolation,
        _ app: (AudioScene.Action) async throws -> Void = { _ in }
    ) async throws -> SceneHistory {
        guard let stage else {
            throw SceneFault(description: "This simulator has no scene: make it with AudioSimulator.run(scene).")
        }
        guard !sceneIsPerformed.exchange(true, ordering: .acquiringAndReleasing) else {
            throw SceneFault(description: "The scene was performed already: run it again with another simulator.")
        }
        if stage.scene.asksForPositions, !original.isEmpty { stage.original = OriginalSound(original) }
        let settle = { [self] in
            if stage.observerSeconds > 0 { delayObservers(bySeconds: stage.observerSeconds) }
            self.settle()
        }
        stage.isBusy = { [weak self] in self?.isBusy ?? false }
        stage.begin(settle: settle)
        while let actions = stage.nextStep(settle: settle) {
            for action in actions {
                do {
                    try await app(action)
                } catch {
                    stage.note(appFailure: "\(error)")
                }
            }
            if !actions.isEmpty { stage.finishStep(settle: settle) }
        }
        return stage.history
    }

    /// The history of a scene that was performed.
    func finishedHistory() throws -> SceneHistory {
        guard let stage, sceneIsPerformed.load(ordering: .acquiring) else {
            throw SceneFault(
                description:
                    "The scene was not performed: call AudioSimulator.performScene { action in … } in the test.")
        }
        return stage.history
    }

    private func delayObservers(bySeconds seconds: Double) {
        session.runtime.notices.enqueue { Thread.sleep(forTimeInterval: min(seconds, 1)) }
    }
}
