import AudioModel
import SessionCore
import Testing

struct ForeignRolesTests {
    private static let table: [(String?, ForeignRoles.Effect)] = [
        ("Communication", ForeignRoles.Effect.interrupts), ("PHONE", .interrupts), ("Notification", .ducks),
        ("event", .ducks), ("Alarm", .ducks), ("Accessibility", .ducks), ("a11y", .ducks), ("Music", .plays),
        ("movie", .plays), (nil, .plays), ("", .plays), ("Anything", .plays), ("Game", .mixes),
        ("Production", .mixes), ("Test", .ignored),
    ]

    @Test(arguments: table)
    func standardTable(_ role: String?, effect: ForeignRoles.Effect) {
        #expect(ForeignRoles.standard.effect(ofRole: role) == effect)
    }

    @Test func text_changesWhatItNames() throws {
        let roles = try ForeignRoles(parsing: " music = MIXES , Game=ignored,none=ignored, other=ducks,Radio=plays,")
        #expect(roles.effect(ofRole: "Music") == .mixes)
        #expect(roles.effect(ofRole: "game") == .ignored)
        #expect(roles.effect(ofRole: nil) == .ignored)
        #expect(roles.effect(ofRole: "unheard of") == .ducks)
        #expect(roles.effect(ofRole: "radio") == .plays)
        #expect(roles.effect(ofRole: "Phone") == .interrupts, "not named, not changed")
        #expect(try ForeignRoles(parsing: "") == .standard)
        #expect(try ForeignRoles(parsing: "Music=plays,Music=mixes").effect(ofRole: "Music") == .mixes)
    }

    @Test(arguments: ["Music", "=plays", "Music=plays=mixes", "Music:plays", "a\u{1B}b"])
    func entry_withoutItsForm_isRefused(_ text: String) {
        let error = #expect(throws: SessionError.self) { try ForeignRoles(parsing: text) }
        #expect(error?.code == .badParam)
        #expect(error?.message.hasPrefix("\"\(text.printable)\" does not say what a role does. Allowed: ") == true)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func unknownEffect_isRefusedByName() {
        let error = #expect(throws: SessionError.self) { try ForeignRoles(parsing: "Game=mixes,Music=shouts") }
        #expect(
            error?.message == "\"shouts\" is no effect of role \"Music\". Allowed effects: interrupts, ducks, plays, "
                + "mixes, ignored. Write, for example, Music=plays.")
    }

    @Test func machine_withATableOfItsOwn_goesByIt() throws {
        var machine = SessionMachine(roles: try ForeignRoles(parsing: "Music=ignored"))
        let music = [ForeignStream(id: 1, role: "Music")]
        _ = machine.apply(SessionEvent(time: .zero, fact: .foreignStreamsChanged(music)))
        #expect(!machine.state.isOtherAudioPlaying)
    }
}
