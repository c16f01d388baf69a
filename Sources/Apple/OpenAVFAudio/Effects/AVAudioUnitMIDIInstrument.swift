public import CAudioTypes
internal import Foundation

/// A node whose sound a unit of the app's makes of MIDI messages, in the render cycle.
///
/// The unit is a registered subclass of `AUAudioUnit` of the type `kAudioUnitType_MusicDevice`; no unit of this library is one. A
/// message is heard from the next cycle on. Any thread.
///
/// Source: SDK header AVAudioUnitMIDIInstrument.h.
open class AVAudioUnitMIDIInstrument: AVAudioUnit, AVAudioMixing {
    /// The unit of this description.
    ///
    /// Ends the program where there is none, or where it throws; `AVAudioUnit.instantiate` returns an error instead.
    public init(audioComponentDescription: AudioComponentDescription) {
        super.init(making: audioComponentDescription)
    }

    override init(_ component: UnitComponent) throws { try super.init(component) }

    /// Begins a note.
    ///
    /// - Parameters:
    ///   - note: 0 to 127.
    ///   - velocity: 0 to 127; 0 ends it.
    ///   - channel: 0 to 15.
    open func startNote(_ note: UInt8, withVelocity velocity: UInt8, onChannel channel: UInt8) {
        send(0x90, channel, note, velocity)
    }

    /// Ends a note.
    open func stopNote(_ note: UInt8, onChannel channel: UInt8) { send(0x80, channel, note, 0) }

    /// Sets a controller, 0 to 127, to a value, 0 to 127.
    open func sendController(_ controller: UInt8, withValue value: UInt8, onChannel channel: UInt8) {
        send(0xb0, channel, controller, value)
    }

    /// Bends the pitch: 0 to 16383; 8192 is the middle.
    open func sendPitchBend(_ pitchbend: UInt16, onChannel channel: UInt8) {
        send(0xe0, channel, UInt8(pitchbend & 0x7f), UInt8(pitchbend >> 7 & 0x7f))
    }

    /// The pressure of a channel, 0 to 127.
    open func sendPressure(_ pressure: UInt8, onChannel channel: UInt8) { send(0xd0, channel, pressure) }

    /// The pressure of one note, 0 to 127.
    open func sendPressure(forKey key: UInt8, withValue value: UInt8, onChannel channel: UInt8) {
        send(0xa0, channel, key, value)
    }

    /// Chooses a program, 0 to 127.
    open func sendProgramChange(_ program: UInt8, onChannel channel: UInt8) { send(0xc0, channel, program) }

    /// Chooses a program of a bank.
    open func sendProgramChange(_ program: UInt8, bankMSB: UInt8, bankLSB: UInt8, onChannel channel: UInt8) {
        sendController(0, withValue: bankMSB, onChannel: channel)
        sendController(32, withValue: bankLSB, onChannel: channel)
        sendProgramChange(program, onChannel: channel)
    }

    /// Sends a message of three bytes.
    open func sendMIDIEvent(_ midiStatus: UInt8, data1: UInt8, data2: UInt8) { send([midiStatus, data1, data2]) }

    /// Sends a message of two bytes.
    open func sendMIDIEvent(_ midiStatus: UInt8, data1: UInt8) { send([midiStatus, data1]) }

    private func send(_ status: UInt8, _ channel: UInt8, _ data: UInt8...) {
        send([status | channel & 0x0f] + data.map { $0 & 0x7f })
    }

    private func send(_ bytes: [UInt8]) {
        auAudioUnit.scheduleMIDIEventBlock?(AUEventSampleTimeImmediate, 0, bytes.count, bytes)
    }
}
