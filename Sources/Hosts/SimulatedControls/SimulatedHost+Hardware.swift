package import AudioModel
package import HostSimulated
internal import Threading

/// The test's controls of the hardware and of the mixer. Any thread.
///
/// A stream whose port leaves is silenced inside the call: not one frame that is rendered after it, nor the cycle that
/// is being rendered meanwhile, reaches another port.
extension SimulatedHost {
    package var inventory: Inventory { state.withLock { $0.hardware.inventory } }

    /// Plugs the device in; it becomes the default for its directions.
    package func plug(_ device: SimulatedDevice) {
        changeHardware { state in
            guard state.hardware.device(uid: device.uid) == nil else {
                state.object("script: plug of \(device.uid), which is plugged already")
                return
            }
            if let taken = device.ports.first(where: { state.hardware.isPlugged(portUID: $0.uid) }) {
                state.object("script: plug of \(device.uid), but there is a port \(taken.uid) already")
                return
            }
            if let socket = device.jackOnPortUID, !state.hardware.isPlugged(portUID: socket) {
                state.object("script: plug of \(device.uid), but there is no port \(socket) with a jack for it")
                return
            }
            state.hardware.insert(device)
            state.note(.plugged(device.uid))
        }
    }

    /// The apps are told of what `body` has changed, if it has.
    private func changeHardware(_ body: (inout MachineState) -> Void) {
        change { state in
            let before = state.hardware
            body(&state)
            state.applyHardwareChange(since: before)
        }
    }

    /// What `body` changes of the hardware is one change for the apps, as when a card takes its devices with it.
    package func changeAtOnce(_ body: () -> Void) {
        state.withLock { $0.hardwareBeforeChange = $0.hardware }
        body()
        change { state in
            guard let before = state.hardwareBeforeChange else { return }
            state.hardwareBeforeChange = nil
            state.applyHardwareChange(since: before)
        }
    }

    package func unplug(_ device: SimulatedDevice) { unplug(uid: device.uid) }

    /// Pulls out the device with this uid, or with a port of this uid, and what is in its jacks.
    package func unplug(uid: String) {
        changeHardware { state in
            guard let device = state.hardware.device(uid: uid) else {
                state.object("script: unplug of \(uid), which is not plugged")
                return
            }
            for gone in state.hardware.remove(device) { state.note(.unplugged(gone.uid)) }
        }
    }

    package func isPlugged(_ device: SimulatedDevice) -> Bool { isPlugged(uid: device.uid) }

    /// Whether a device with this uid, or with a port of this uid, is plugged in.
    package func isPlugged(uid: String) -> Bool { state.withLock { $0.hardware.device(uid: uid) != nil } }

    /// The user makes this output the machine's default.
    ///
    /// For a route of a card that also is the active route from now on.
    package func setDefaultOutput(_ uid: String) { setDefault(uid, direction: .output) }

    package func setDefaultInput(_ uid: String) { setDefault(uid, direction: .input) }

    private func setDefault(_ uid: String, direction: PortDirection) {
        changeHardware { state in
            guard let port = state.hardware.port(uid: uid), port.direction == direction else {
                state.object("script: \(uid) was made the default \(direction), but there is no such \(direction)")
                return
            }
            state.hardware.makeDefault(portUID: uid)
        }
    }

    /// The machine names no default any more, until one is set or the next device is plugged in.
    ///
    /// The ports stay.
    package func clearDefault() {
        changeHardware { $0.hardware.clearDefaults() }
    }

    /// The user moves this app's streams to this output in the mixer; nil lifts the choice.
    package func chooseOutput(_ uid: String?) {
        change { state in
            state.note(.outputChosen(uid), of: app)
            if state.serverIsUp { state.emit(.outputChosenByUser(uid: uid), to: app) }
        }
    }

    /// The port's hardware runs at another rate, in hertz.
    ///
    /// The machine's own rate, in which time is counted, stays.
    package func setSampleRate(of uid: String, to rate: Double) {
        changeHardware { state in
            guard state.hardware.port(uid: uid) != nil, rate > 0 else {
                state.object("script: the rate of \(uid) was set to \(rate) Hz, but there is no such port or rate")
                return
            }
            state.hardware.setSampleRate(rate, portUID: uid)
            state.note(.sampleRateChanged(uid, rate))
        }
    }

    /// Another program puts a headset into a profile.
    package func useProfile(_ profile: Headset.Profile, ofHeadset uid: String) {
        changeHardware { state in
            guard let device = state.hardware.device(uid: uid), device.headset(in: profile) != nil else {
                state.object("script: \(uid) gets another profile, but it is no Bluetooth headset that is plugged in")
                return
            }
            state.usedProfiles[device.uid] = profile
            state.hardware.setProfile(profile, ofHeadsetWith: device.uid)
        }
    }

    /// A jack says whether something is in it.
    ///
    /// `unavailable` takes a plugged port out of the inventory, `available` brings it back as the newest one, `unknown`
    /// changes nothing and is not reported.
    package func reportAvailability(of uid: String, _ availability: PortAvailability) {
        changeHardware { state in
            guard state.hardware.isPlugged(portUID: uid) else {
                state.object("script: the jack of \(uid) says something, but no such port is plugged in")
                return
            }
            state.note(.availabilityReported(uid, availability))
            switch availability {
            case .available: state.hardware.show(portUID: uid)
            case .unavailable: state.hardware.hide(portUID: uid)
            case .unknown: break
            }
        }
    }
}
