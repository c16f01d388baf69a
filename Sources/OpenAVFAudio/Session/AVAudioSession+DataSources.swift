internal import AudioModel
internal import Foundation
internal import SessionCore

// A sound card with several routes for one sink or source (front and rear microphone, speaker and headphones) has as many
// ports here, of which one is in use at a time. Each of them is a data source of the others. The class's rules for threads
// and errors hold here too.
extension AVAudioSession {
    /// The data sources of the input in use; nil if its card has no other.
    ///
    /// Observable.
    public var inputDataSources: [AVAudioSessionDataSourceDescription]? {
        runtime.state.route.inputs.first.flatMap { sources(of: $0) }
    }

    /// The selected data source of the input in use; nil if its card has no other.
    ///
    /// Observable.
    public var inputDataSource: AVAudioSessionDataSourceDescription? {
        runtime.state.route.inputs.first.flatMap { selectedSource(of: $0) }
    }

    /// Selects a data source of the input in use; nil removes the selection.
    ///
    /// The route changes to the port of the data source, as ``setPreferredInput(_:)`` does.
    ///
    /// - Throws: `badParam` for a data source that is not available now.
    public func setInputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        try select(dataSource, .input)
    }

    /// The data sources of the output in use; nil if its card has no other.
    ///
    /// Observable.
    public var outputDataSources: [AVAudioSessionDataSourceDescription]? {
        runtime.state.route.outputs.first.flatMap { sources(of: $0) }
    }

    /// The selected data source of the output in use; nil if its card has no other.
    public var outputDataSource: AVAudioSessionDataSourceDescription? {
        runtime.state.route.outputs.first.flatMap { selectedSource(of: $0) }
    }

    /// Selects a data source of the output in use; nil removes the selection.
    ///
    /// The route changes to the port of the data source.
    ///
    /// - Throws: `resourceNotAvailable` for a data source that is not available now.
    public func setOutputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        try select(dataSource, .output)
    }

    func select(_ dataSource: AVAudioSessionDataSourceDescription?, _ direction: PortDirection) throws {
        try perform { [uid = dataSource?.portUID] call, _ in
            switch direction {
            case .input: .inputPreferred(call, uid: uid)
            case .output: .outputChosenByApp(call, uid.map(OutputChoice.port(uid:)) ?? .automatic)
            }
        }
    }

    func sources(of port: AudioModel.Port) -> [AVAudioSessionDataSourceDescription]? {
        runtime.state.inventory.alternatives(to: port).map { $0.map(AVAudioSessionDataSourceDescription.init) }
    }

    func selectedSource(of port: AudioModel.Port) -> AVAudioSessionDataSourceDescription? {
        runtime.state.inventory.alternatives(to: port)?.first.map(AVAudioSessionDataSourceDescription.init)
    }

    func preferredSource(of port: AudioModel.Port) -> AVAudioSessionDataSourceDescription? {
        let state = runtime.state
        let preferred = port.direction == .input ? state.preferredInput : state.chosenOutput
        return state.inventory.alternatives(to: port)?.first { $0.uid == preferred?.uid }
            .map(AVAudioSessionDataSourceDescription.init)
    }
}

extension Inventory {
    /// The ports of the same sink or source in the order of their names, with this one; nil if there is no other.
    fileprivate func alternatives(to port: AudioModel.Port) -> [AudioModel.Port]? {
        alternatives.first { $0.contains(port.uid) }?.compactMap { self.port(uid: $0) }
    }
}
