import AudioModel
import SessionCore
import Testing

// Helpers: RandomClaimRegistry.swift

struct ArbitrationTests {
    /// In the order of their serials, which are 1, 2, 3 ...
    private func claims(_ configurations: [SessionConfiguration]) -> [Arbitration.Claim] {
        configurations.enumerated().map { Arbitration.Claim(serial: serial(UInt64($0 + 1)), configuration: $1) }
    }

    private func verdicts(_ configurations: SessionConfiguration...) -> [Arbitration.Verdict?] {
        let claims = claims(configurations)
        let forwards = Arbitration(claims)
        #expect(forwards == Arbitration(claims.reversed()), "the order in which one hears of claims does not matter")
        return claims.map { forwards.verdict(on: $0.serial) }
    }

    private func serial(_ number: UInt64) -> ClaimSerial { ClaimSerial(number: number) }
    private let ambient = SessionConfiguration(category: .ambient)
    private let solo = SessionConfiguration(category: .soloAmbient)

    @Test func oneClaim_aloneOrNone() {
        #expect(verdicts() == [])
        #expect(verdicts(Bench.music) == [.effective])
        #expect(Arbitration([]).verdict(on: serial(1)) == nil)
    }

    @Test func laterClaim_ofEqualPriority_interruptsTheEarlier() {
        #expect(verdicts(Bench.music, solo) == [.interrupted(by: .peer(serial(2))), .effective])
        #expect(verdicts(Bench.call, Bench.call) == [.interrupted(by: .peer(serial(2))), .effective])
        #expect(
            verdicts(solo, Bench.music, Bench.speech)
                == [.interrupted(by: .peer(serial(2))), .interrupted(by: .peer(serial(3))), .effective])
    }

    @Test func mixableClaims_stayAndLetStay() {
        #expect(
            verdicts(ambient, Bench.music, Bench.mixing, Bench.ducking, Bench.prompt)
                == Array(repeating: .effective, count: 5))
        #expect(verdicts(Bench.call, ambient, Bench.mixing) == Array(repeating: .effective, count: 3))
    }

    @Test func call_refusesOthersAndInterruptsThem() {
        #expect(verdicts(Bench.music, Bench.call) == [.interrupted(by: .peer(serial(2))), .effective])
        #expect(verdicts(Bench.call, Bench.music) == [.effective, .refused(by: .peer(serial(1)))])
        // A refused claim has no effect on those before it nor after it.
        #expect(
            verdicts(Bench.call, Bench.music, ambient, Bench.music)
                == [.effective, .refused(by: .peer(serial(1))), .effective, .refused(by: .peer(serial(1)))])
    }

    @Test func mixableCall_refusesNobody() {
        var call = Bench.call
        call.options = .mixWithOthers
        #expect(verdicts(call, Bench.music) == [.effective, .effective])
    }

    @Test func prompt_interruptsSpeechOnly() {
        var softSpeech = Bench.speech
        softSpeech.options = .mixWithOthers
        #expect(
            verdicts(Bench.speech, softSpeech, Bench.prompt)
                == [.interrupted(by: .peer(serial(3))), .interrupted(by: .peer(serial(3))), .effective])
        #expect(verdicts(Bench.prompt, Bench.speech) == [.effective, .effective], "it was there before")
    }

    @Test func words_ofAClaim_meanWhatAppleSays() {
        #expect(ambient.isMixable)
        #expect(!solo.isMixable)
        #expect(Bench.ducking.isMixable && Bench.ducking.ducksOthers && !Bench.ducking.interruptsSpokenAudio)
        #expect(Bench.prompt.isMixable && Bench.prompt.interruptsSpokenAudio && !Bench.prompt.ducksOthers)
        #expect(!Bench.mixing.interruptsSpokenAudio, "one bit of the two is not the option")
        for mode in SessionMode.allCases {
            let isChat = [SessionMode.voiceChat, .videoChat, .gameChat].contains(mode)
            #expect(SessionConfiguration(category: .playAndRecord, mode: mode).isCallLike == isChat)
            #expect(!SessionConfiguration(category: .playback, mode: mode).isCallLike)
        }
    }

    /// A call of a program without a session that began when claim 2 was the newest.
    @Test func foreignCall_amongClaims_interruptsTheEarlierAndRefusesTheLater() {
        let configurations = [Bench.mixing, Bench.music, Bench.music, Bench.ducking, Bench.call, Bench.music]
        let arbitration = Arbitration(claims(configurations), foreignCalls: [serial(2), serial(2)])
        #expect(
            (1...6).map { arbitration.verdict(on: serial($0)) } == [
                .interrupted(by: .foreignCall), .interrupted(by: .foreignCall), .refused(by: .foreignCall),
                .interrupted(by: .peer(serial(5))), .effective, .refused(by: .peer(serial(5))),
            ])
        #expect(arbitration == Arbitration(claims(configurations).reversed(), foreignCalls: [serial(2)]))
    }

    @Test func laterClaim_ofTheSameOwner_replacesTheEarlier() {
        let arbitration = Arbitration([
            Arbitration.Claim(serial: serial(1), configuration: Bench.call, owner: 7),
            Arbitration.Claim(serial: serial(2), configuration: Bench.music, owner: 7),
            Arbitration.Claim(serial: serial(3), configuration: Bench.music, owner: 8),
        ])
        #expect(arbitration.verdict(on: serial(1)) == .interrupted(by: .peer(serial(2))))
        #expect(arbitration.verdict(on: serial(2)) == .interrupted(by: .peer(serial(3))))
        #expect(arbitration.verdict(on: serial(3)) == .effective)
    }
}
