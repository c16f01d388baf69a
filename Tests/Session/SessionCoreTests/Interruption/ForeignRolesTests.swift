import AudioModel
import SessionCore
import Testing

struct ForeignRolesTests {
    private static let table: [(String?, ForeignRoles.Effect)] = [
        ("Communication", ForeignRoles.Effect.interrupts), ("PHONE", .interrupts), ("Notification", .ducks),
        ("event", .ducks), ("Alarm", .ducks), ("Accessibility", .ducks), ("a11y", .ducks), ("Music", .plays),
        ("movie", .plays), ("Navigation", .ducks), ("assistant", .ducks), (nil, .plays), ("", .plays),
        ("Anything", .plays), ("Game", .mixes),
        ("Production", .mixes), ("Test", .ignored),
    ]

    @Test(arguments: table)
    func standardTable(_ role: String?, effect: ForeignRoles.Effect) {
        #expect(ForeignRoles.standard.effect(ofRole: role) == effect)
    }

    @Test func machine_withATableOfItsOwn_goesByIt() {
        var roles = ForeignRoles.standard
        roles.setEffect(.ignored, ofRole: "Music")
        var machine = SessionMachine(roles: roles)
        let music = [ForeignStream(id: 1, role: "Music")]
        _ = machine.apply(SessionEvent(time: .zero, fact: .host(.foreignStreamsChanged(music))))
        #expect(!machine.state.isOtherAudioPlaying)
    }
}
