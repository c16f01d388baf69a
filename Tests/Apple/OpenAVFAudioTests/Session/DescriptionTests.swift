import AudioModel
import Foundation
import OpenAudioSession
import RuntimeTestSupport
import Testing

@Suite struct DescriptionTests {
    @Test func port_fromTheModel_carriesEveryField() throws {
        let port = AVAudioSessionPortDescription(.headphones)
        #expect(port.portType == .headphones)
        #expect(port.portName == "Headphones")
        #expect(port.uid == "headphones")
        let channels = try #require(port.channels)
        #expect(channels.map(\.channelName) == ["Headphones Left", "Headphones Right"])
        #expect(channels.map(\.channelNumber) == [1, 2])
        #expect(channels.map(\.channelLabel) == [kAudioChannelLabel_Left, kAudioChannelLabel_Right])
        #expect(channels.map(\.owningPortUID) == ["headphones", "headphones"])
    }

    @Test func everyPortKind_hasAPortTypeOfItsOwn() {
        let types = PortKind.allCases.map { AVAudioSession.Port($0) }
        #expect(types.count == 20)
        #expect(Set(types).count == 20)
    }

    @Test func everyChannelPlace_hasTheLabelOfCoreAudio() {
        let rows: [(ChannelLabel, AudioChannelLabel)] = [
            (.mono, 42), (.left, 1), (.right, 2), (.center, 3), (.lowFrequency, 4), (.rearLeft, 33), (.rearRight, 34),
            (.sideLeft, 5), (.sideRight, 6), (.rearCenter, 9), (.discrete(0), 65_536), (.discrete(3), 65_539),
        ]
        #expect(rows.count == 12)
        for (place, label) in rows { #expect(AudioChannelLabel(place) == label) }
    }

    @Test func route_fromTheModel_keepsTheOrderOfPorts() {
        let route = AVAudioSessionRouteDescription(
            Route(inputs: [.microphone], outputs: [.headphones, .speaker]))
        #expect(route.inputs.map(\.uid) == ["mic"])
        #expect(route.outputs.map(\.uid) == ["headphones", "speaker"])
    }

    @Test func ports_withSameTypeAndUID_areEqual() {
        var renamed = AudioModel.Port.headphones
        renamed.name = "Someone's Headphones"
        renamed.channels = [.mono]
        var retyped = AudioModel.Port.headphones
        retyped.kind = .usbAudio
        let port = AVAudioSessionPortDescription(.headphones)
        #expect(port == AVAudioSessionPortDescription(renamed))
        #expect(port.hash == AVAudioSessionPortDescription(renamed).hash)
        #expect(port != AVAudioSessionPortDescription(retyped))
        #expect(port != AVAudioSessionPortDescription(.speaker))
        #expect(!port.isEqual("headphones"))
    }

    @Test func routes_withTheSamePortsInAnotherOrder_differ() {
        let one = AVAudioSessionRouteDescription(Route(outputs: [.headphones, .speaker]))
        let same = AVAudioSessionRouteDescription(Route(outputs: [.headphones, .speaker]))
        let other = AVAudioSessionRouteDescription(Route(outputs: [.speaker, .headphones]))
        #expect(one == same)
        #expect(one.hash == same.hash)
        #expect(one != other)
    }

    @Test func channels_areEqualByPortNumberAndLabel() {
        let channels = AVAudioSessionPortDescription(.headphones).channels
        #expect(channels == AVAudioSessionPortDescription(.headphones).channels)
        #expect(channels != AVAudioSessionPortDescription(.speaker).channels)
        #expect(Set(channels ?? []).count == 2)
    }

    @Test func descriptions_printAsApplesDo() throws {
        let port = AVAudioSessionPortDescription(.headphones)
        let printed = port.description.replacing(/0x[0-9a-f]+/, with: "0x…", maxReplacements: 1)
        #expect(
            printed
                == "<AVAudioSessionPortDescription: 0x…, type = Headphones; name = Headphones; UID = headphones; "
                + "selectedDataSource = (null)>")
        let route = AVAudioSessionRouteDescription(Route(outputs: [.headphones])).description
        #expect(
            route.replacing(/: 0x[0-9a-f]+/, with: ": 0x…")
                == "<AVAudioSessionRouteDescription: 0x…, \ninputs = (null); \noutputs = (\n    \"\(printed)\"\n)>")
        let channel = try #require(port.channels?.first).description
        #expect(
            channel.replacing(/: 0x[0-9a-f]+/, with: ": 0x…")
                == "<AVAudioSessionChannelDescription: 0x…, name = Headphones Left; number = 1; "
                + "port UID = headphones; label = 1 (0x1)>")
    }

    @Test func hostileName_isHarmlessInADescription() {
        var port = AudioModel.Port.headphones
        port.name = "\u{1B}[2Jgone"
        #expect(!AVAudioSessionPortDescription(port).description.unicodeScalars.contains("\u{1B}"))
        #expect(AVAudioSessionPortDescription(port).portName == "\u{1B}[2Jgone")
    }
}
