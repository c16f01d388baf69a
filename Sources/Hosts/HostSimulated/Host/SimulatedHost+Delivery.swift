import AudioModel
internal import Threading

/// Changes of the state, and the delivery of their events.
extension SimulatedHost {
    /// How many events have been delivered; it stops growing once the apps cause no more events in each other.
    ///
    /// Any thread.
    package var deliveredCount: Int { state.withLock { $0.deliveredCount } }

    /// Changes the state under the lock, then delivers the events of the change.
    @discardableResult
    package func change<Value: Sendable, Failure: Error>(
        _ body: (inout MachineState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = state.withLock { (state) -> Result<Value, Failure> in
            defer { state.reportPlaying() }
            do throws(Failure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        flush()
        return try result.get()
    }

    /// Delivers the queued events, in the order of the changes; one thread at a time does it, the others wait for it.
    ///
    /// Returns at once inside `deliver`, where the outer call goes on, and inside a renderer, where the cycle does it
    /// when the renderer has returned: no event comes from the render thread.
    func flush() {
        let thread = ThreadID.current
        var isDeliverer = false
        while true {
            let step = state.withLock { state -> DeliveryStep in
                if isDeliverer {
                    state.deliverer = nil
                    state.deliveredCount += 1
                } else if state.deliverer?.thread == thread || state.renderer?.thread == thread {
                    return .done
                } else if state.deliverer != nil {
                    return .wait
                }
                guard let (app, deliver, event) = state.takeEvent() else { return .done }
                state.deliverer = (thread, app)
                return .deliver(deliver, event)
            }
            switch step {
            case .deliver(let deliver, let event):
                isDeliverer = true
                deliver(event)
            case .wait:
                state.wait { $0.deliverer != nil }
            case .done:
                if isDeliverer { state.notifyAll() }
                return
            }
        }
    }

    private enum DeliveryStep: Sendable {
        case deliver(@Sendable (HostEvent) -> Void, HostEvent)
        case wait
        case done
    }
}
