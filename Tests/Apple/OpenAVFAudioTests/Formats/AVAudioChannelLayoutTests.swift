import AudioModel
import Foundation
import OpenAudioSession
import Testing

struct AVAudioChannelLayoutTests {
    @Test func layoutTag_thatRefersToSomethingElse_makesNoLayout() {
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelDescriptions) == nil)
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelBitmap) == nil)
    }

    @Test func layoutTag_saysChannelsAndPlaces() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        #expect(layout.layoutTag == kAudioChannelLayoutTag_MPEG_5_1_A && layout.channelCount == 6)
        #expect(layout.places == [.left, .right, .center, .lowFrequency, .sideLeft, .sideRight])
        let discrete = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_DiscreteInOrder | 6))
        #expect(discrete.channelCount == 6 && discrete.places == (0..<6).map { .discrete($0) })
    }

    @Test func layout_fromACLayout_isACopyOfAllOfIt() {
        var mask = AudioChannelLayout()
        mask.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
        mask.mChannelBitmap = [.bit_Left, .bit_Right, .bit_LFEScreen]
        let layout = AVAudioChannelLayout(layout: &mask)
        mask.mChannelBitmap = []
        #expect(layout.channelCount == 3 && layout.places == [.left, .right, .lowFrequency])
        #expect(layout.layout.pointee.mChannelBitmap.rawValue == 0b1011)
        #expect(layout != AVAudioChannelLayout(layout: &mask))
    }

    @Test(arguments: [
        [ChannelLabel.mono], [.left, .right], [.left, .right, .center], [.left, .right, .rearLeft, .rearRight],
        [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight], [.discrete(0), .discrete(1), .discrete(2)],
        [.left, .discrete(7), .rearCenter],
    ])
    func places_throughALayoutAndItsBytes_areTheSame(places: [ChannelLabel]) throws {
        let layout = AVAudioChannelLayout(places: places)
        #expect(layout.places == places && layout.channelCount == places.count)
        let again = try #require(AVAudioChannelLayout(data: layout.data))
        #expect(again == layout && again.hash == layout.hash && again.places == places)
        #expect(AVAudioChannelLayout(data: layout.data.prefix(8)) == nil)
    }

    @Test func layoutBytes_thatAnnounceMoreThanThereIs_areRefused() {
        var layout = AudioChannelLayout()
        layout.mNumberChannelDescriptions = .max
        let data = withUnsafeBytes(of: layout) { Data($0) }
        #expect(AVAudioChannelLayout(data: data) == nil)
    }
}
