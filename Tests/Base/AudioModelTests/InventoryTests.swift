import AudioModel
import Testing

struct InventoryTests {
    private let speaker = Port(
        uid: "speaker", name: "Speaker", kind: .builtInSpeaker, direction: .output, channels: [.left, .right])
    private let dac = Port(uid: "dac", name: "DAC", kind: .usbAudio, direction: .output, channels: [.left, .right])
    private let mic = Port(uid: "mic", name: "Microphone", kind: .builtInMic, direction: .input, channels: [.mono])

    @Test func outputsAndInputs_ofMixedPorts_keepTheOrder() {
        let inventory = Inventory(ports: [dac, mic, speaker], defaultOutputUID: "speaker")
        #expect(inventory.outputs == [dac, speaker])
        #expect(inventory.inputs == [mic])
    }

    @Test func portByUID_whereItIsMissing_isNil() {
        let inventory = Inventory(ports: [dac, mic])
        #expect(inventory.port(uid: "mic") == mic)
        #expect(inventory.port(uid: "speaker") == nil)
        #expect(inventory.port(uid: "") == nil)
    }

    @Test func emptyInventory_hasNoPortsAndNoDefaults() {
        #expect(Inventory.empty.ports.isEmpty)
        #expect(Inventory.empty.defaultOutputUID == nil)
        #expect(Inventory.empty.defaultInputUID == nil)
    }

    @Test func portUIDs_ofARoute_listInputsFirst() {
        #expect(Route(inputs: [mic], outputs: [dac, speaker]).portUIDs == ["mic", "dac", "speaker"])
    }
}
