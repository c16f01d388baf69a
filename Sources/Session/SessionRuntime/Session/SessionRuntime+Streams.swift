package import AudioModel
package import HostInterface
package import SessionCore

extension SessionRuntime {
    /// Opens a stream on the host and makes it known to the session, which links it at once.
    ///
    /// Application threads.
    package func openStream(
        _ configuration: StreamConfiguration, policy: StreamPolicy, owner: any StreamOwner
    ) throws(SessionError) -> any HostStream {
        let result = synchronously { [host, weak self] context -> Result<any HostStream, HostError> in
            do throws(HostError) {
                let stream = try host.openStream(configuration)
                stream.preferCycle(seconds: context.machine.state.preferredSettings.ioBufferDuration)
                context.streams[configuration.id] = .init(stream: stream, owner: owner)
                owner.opened(stream)
                self?.apply(.streamOpened(configuration.id, policy), &context)
                return .success(stream)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let stream): return stream
        case .failure(let error): throw SessionError(error)
        case nil: throw Self.ended
        }
    }

    /// Closes the stream; once this has returned its renderer is not called any more.
    ///
    /// Application threads.
    package func closeStream(_ id: StreamID) {
        synchronously { [weak self] context in
            guard let entry = context.streams.removeValue(forKey: id) else { return }
            entry.stream.close()
            self?.apply(.streamClosed(id), &context)
        }
    }

    /// Closes the streams soon, in the order of the events.
    ///
    /// Any thread, the session thread too.
    package func closeStreamsSoon(_ streams: [any HostStream]) {
        guard !streams.isEmpty else { return }
        asynchronously { [weak self] context in
            for stream in streams {
                stream.close()
                context.streams[stream.id] = nil
                self?.apply(.streamClosed(stream.id), &context)
            }
        }
    }
}
