import AudioModel
import AudioRuntime
import ProgramRuntime
import SessionCore
import SessionRuntime
import Testing

struct SessionEnvironmentTests {
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
            error?.message == "\"shouts\" is not an effect of role \"Music\". Allowed effects: interrupts, ducks, "
                + "plays, mixes, ignored. Write, for example, Music=plays.")
    }

    @Test(arguments: [
        SessionEnvironment.hostVariable, SessionEnvironment.rolesVariable,
        SessionEnvironment.multiRouteSpeakerVariable,
    ])
    func invalidVariable_whileAProgramReadsAll_isNamed(_ variable: String) {
        let environment = SessionEnvironment([variable: "nonsense"])
        let error = #expect(throws: SessionError.self) { try environment.validSettings(host: nil) }
        #expect(error?.code == .badParam)
        #expect(error?.message.hasPrefix(variable) == true)
        var fallbacks: [String] = []
        let settings = environment.settings { fallbacks.append("\($0.message) \($1)") }
        #expect(fallbacks.count == 1 && fallbacks[0].hasPrefix(variable))
        #expect(settings.host == nil && settings.roles == .standard && settings.multiRouteSpeaker == .onlyWhenAlone)
    }

    @Test func validVariables_areRead_andAProgramsChoiceReplacesTheHosts() throws {
        let environment = SessionEnvironment([
            SessionEnvironment.hostVariable: "simulated", SessionEnvironment.rolesVariable: "Game=plays",
            SessionEnvironment.multiRouteSpeakerVariable: "always",
        ])
        let settings = try environment.validSettings(host: nil)
        #expect(settings.host == .simulated && settings.multiRouteSpeaker == .always)
        #expect(settings.roles.effect(ofRole: "Game") == .plays)
        #expect(try environment.validSettings(host: .pipeWire).host == .pipeWire)
        #expect(
            try SessionEnvironment([SessionEnvironment.hostVariable: "x"]).validSettings(host: .automatic).host
                == .automatic)
        #expect(try SessionEnvironment([:]).validSettings(host: nil).host == nil)
    }

    @Test func speakerSwitch_asTheEnvironmentSpellsIt_isRead() throws {
        #expect(try MultiRouteSpeaker(parsing: "") == .onlyWhenAlone)
        #expect(try MultiRouteSpeaker(parsing: "Always") == .always)
        #expect(try MultiRouteSpeaker(parsing: "onlyWhenAlone") == .onlyWhenAlone)
        let error = #expect(throws: SessionError.self) { try MultiRouteSpeaker(parsing: "loud") }
        #expect(
            error?.message
                == "AUDIOSESSION_MULTIROUTE_SPEAKER is \"loud\", which is not one of: onlyWhenAlone, always. Set one of "
                + "these.")
    }
}
