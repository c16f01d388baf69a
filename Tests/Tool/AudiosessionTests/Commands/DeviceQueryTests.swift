import AudioModel
import OpenAudioSession
import Testing

@testable import audiosession

@Suite struct DeviceQueryTests {
    private let outputs = [
        PortFacts(uid: "alsa.usb", name: "USB Headset", portType: "USBAudio", channels: 2),
        PortFacts(uid: "alsa.hdmi.0", name: "HDMI", portType: "HDMIOutput", channels: 2),
        PortFacts(uid: "alsa.hdmi.1", name: "HDMI", portType: "HDMIOutput", channels: 8),
        PortFacts(uid: "usb headset", name: "Other", portType: "LineOut", channels: 2),
    ]

    private func query(_ usable: [PortFacts], connected: [PortFacts]? = nil) -> DeviceQuery {
        DeviceQuery(usable: usable, connected: connected ?? usable, category: .multiRoute)
    }

    @Test(arguments: [("alsa.usb", 0), ("USB Headset", 0), ("usb HEADSET", 0), ("usb headset", 3), ("alsa.hdmi.1", 2)])
    func uid_winsOverName_andNamesMatchInAnyCase(text: String, index: Int) throws {
        #expect(try query(outputs).resolve(text) == outputs[index])
    }

    @Test func name_ofSeveralOutputs_isRefusedWithTheirUIDs() {
        let error = #expect(throws: BackendError.self) { try query(outputs).resolve("hdmi") }
        #expect(error?.code == .program(.ambiguousDevice))
        #expect(
            error?.message == "'hdmi' matches 2 outputs; give the uid of one: "
                + "'HDMI' (uid alsa.hdmi.0), 'HDMI' (uid alsa.hdmi.1).")
    }

    @Test func unknownDevice_isNamedWithTheOutputsThatAreThere() {
        let error = #expect(throws: BackendError.self) {
            try query(Array(outputs.prefix(1))).resolve("USB Hedset")
        }
        #expect(error?.code == .program(.noSuchDevice))
        #expect(
            error?.message == "there is no output 'USB Hedset'. Did you mean 'USB Headset'? "
                + "Connected outputs: 'USB Headset' (uid alsa.usb). Give the name or uid of one.")
    }

    @Test func anyDevice_whileThereAreNone_pointsToTheDoctor() {
        let error = #expect(throws: BackendError.self) { try query([]).resolve("x") }
        #expect(
            error?.message
                == "there is no output 'x', and no other output is connected; run 'audiosession doctor' to find the reason."
        )
    }

    // MARK: Port types

    @Test(arguments: [
        ("hdmi", 1), ("HDMIOutput", 1), ("usb", 0), ("line-out", 3), ("LineOut", 3), ("alsa.hdmi.1", 2),
        ("usb headset", 3),
    ])
    func portType_meansTheFirstOutputOfIt_afterUIDsAndNames(text: String, index: Int) throws {
        #expect(try query(outputs).resolve(text, allowsPortTypes: true) == outputs[index])
    }

    @Test(arguments: [
        ("Other", false, "Choose one of these, or another --category."),
        ("line-out", true, "Choose one of these."),
    ])
    func outputThatTheCategoryLeavesOut_isToldFromOneThatIsNotThere(text: String, forAFile: Bool, advice: String) {
        let error = #expect(throws: BackendError.self) {
            try query([outputs[0]], connected: outputs).resolve(text, allowsPortTypes: forAFile)
        }
        #expect(
            error?.message == "'Other' is connected, but category multiRoute cannot use it now. "
                + "Usable outputs: 'USB Headset' (uid alsa.usb). \(advice)")
    }

    @Test func portTypeOfNoOutput_isNamedWithTheTypesThatAreThere() {
        let error = #expect(throws: BackendError.self) { try query([outputs[0]]).expect(.HDMI) }
        #expect(
            error?.message == "no HDMI output is connected that category multiRoute can use. Usable outputs: "
                + "'USB Headset' (usb). Connect one, or choose another output with --port-type or --device.")
    }

    @Test(arguments: [
        ("headphones", AVAudioSession.Port.headphones), ("HDMI", .HDMI), ("hdmi", .HDMI), ("HDMIOutput", .HDMI),
        ("USB", .usbAudio),
        ("usbAudio", .usbAudio), ("lineOut", .lineOut), ("line-out", .lineOut), ("builtInSpeaker", .builtInSpeaker),
        ("A2DP", .bluetoothA2DP), ("Receiver", .builtInReceiver),
    ])
    func word_ofAppleOrOurs_namesAPortType(word: String, type: AVAudioSession.Port) {
        #expect(PortTypeWords.type(for: word) == type)
    }

    @Test func everyOutputType_hasAWordAndIsKnownByApplesRawValue() {
        let inputs: Set<PortKind> = [.lineIn, .builtInMic, .headsetMic]
        for kind in PortKind.allCases where !inputs.contains(kind) {
            let type = AVAudioSession.Port(kind)
            #expect(PortTypeWords.type(for: type.rawValue) == type)
        }
        #expect(PortTypeWords.words.count == PortKind.allCases.count - inputs.count)
    }
}
