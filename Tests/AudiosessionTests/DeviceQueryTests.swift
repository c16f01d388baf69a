import Testing

@testable import audiosession

@Suite struct DeviceQueryTests {
    private let outputs = [
        PortFacts(uid: "alsa.usb", name: "USB Headset", portType: "USBAudio", channels: 2),
        PortFacts(uid: "alsa.hdmi.0", name: "HDMI", portType: "HDMIOutput", channels: 2),
        PortFacts(uid: "alsa.hdmi.1", name: "HDMI", portType: "HDMIOutput", channels: 8),
        PortFacts(uid: "usb headset", name: "Other", portType: "LineOut", channels: 2),
    ]

    @Test(arguments: [("alsa.usb", 0), ("USB Headset", 0), ("usb HEADSET", 0), ("usb headset", 3), ("alsa.hdmi.1", 2)])
    func uid_winsOverName_andNamesMatchInAnyCase(text: String, index: Int) throws {
        #expect(try DeviceQuery.resolve(text, among: outputs) == outputs[index])
    }

    @Test func name_ofSeveralOutputs_isRefusedWithTheirUIDs() {
        let error = #expect(throws: StudioError.self) { try DeviceQuery.resolve("hdmi", among: outputs) }
        #expect(error?.code == "ambiguousDevice")
        #expect(
            error?.message == "'hdmi' names 2 outputs; give the uid of one: "
                + "'HDMI' (uid alsa.hdmi.0), 'HDMI' (uid alsa.hdmi.1).")
    }

    @Test func unknownDevice_isNamedWithTheOutputsThatAreThere() {
        let error = #expect(throws: StudioError.self) {
            try DeviceQuery.resolve("USB Hedset", among: Array(outputs.prefix(1)))
        }
        #expect(error?.code == "noSuchDevice")
        #expect(
            error?.message == "there is no output 'USB Hedset'. Did you mean 'USB Headset'? "
                + "Connected outputs: 'USB Headset' (uid alsa.usb).")
    }

    @Test func anyDevice_whileThereAreNone_pointsToTheDoctor() {
        let error = #expect(throws: StudioError.self) { try DeviceQuery.resolve("x", among: []) }
        #expect(error?.message == "there is no output 'x', nor any other; 'audiosession doctor' tells why.")
    }
}
