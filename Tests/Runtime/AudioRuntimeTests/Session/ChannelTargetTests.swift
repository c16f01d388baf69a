import SessionCore
import Testing

struct ChannelTargetTests {
    @Test func map_ofAnAim_namesOnlyChannelsThatThereAre() {
        let middle = ChannelTarget(channelCount: 6, device: 2..<4)
        #expect(middle.channelMap(sourceChannels: 2) == [-1, -1, 0, 1, -1, -1])
        #expect(middle.channelMap(sourceChannels: 6) == [-1, -1, 0, 1, -1, -1])
        #expect(middle.channelMap(sourceChannels: 1) == [-1, -1, 0, 0, -1, -1])
        #expect(middle.channelMap(sourceChannels: 0) == [-1, -1, -1, -1, -1, -1])
        let mono = ChannelTarget(channelCount: 3, device: 2..<3)
        #expect(mono.channelMap(sourceChannels: 2) == [-1, -1, 0])
        let wide = ChannelTarget(channelCount: 5, device: 1..<5)
        #expect(wide.channelMap(sourceChannels: 2) == [-1, 0, 1, -1, -1])
    }
}
