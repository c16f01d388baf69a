/// What a port is physically.
package enum PortKind: Hashable, Sendable, CaseIterable {
    case lineIn, builtInMic, headsetMic
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, displayPort, avb, thunderbolt
}
