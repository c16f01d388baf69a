import AudioModel
import SessionCore
import Testing

// Helpers: RandomClaimRegistry.swift

struct ArbitrationTests {
    /// The verdicts on claims in the order of their serials, which are 1, 2, 3 ...
    private func verdicts(_ configurations: SessionConfiguration...) -> [Arbitration.Verdict?] {
        let claims = configurations.enumerated().map {
            Arbitration.Claim(serial: ClaimSerial(number: UInt64($0 + 1)), configuration: $1)
        }
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
        #expect(verdicts(Bench.music, solo) == [.interrupted(by: serial(2)), .effective])
        #expect(verdicts(Bench.call, Bench.call) == [.interrupted(by: serial(2)), .effective])
        #expect(
            verdicts(solo, Bench.music, Bench.speech)
                == [.interrupted(by: serial(2)), .interrupted(by: serial(3)), .effective])
    }

    @Test func mixableClaims_stayAndLetStay() {
        #expect(
            verdicts(ambient, Bench.music, Bench.mixing, Bench.ducking, Bench.prompt)
                == Array(repeating: .effective, count: 5))
        #expect(verdicts(Bench.call, ambient, Bench.mixing) == Array(repeating: .effective, count: 3))
    }

    @Test func call_refusesOthersAndInterruptsThem() {
        #expect(verdicts(Bench.music, Bench.call) == [.interrupted(by: serial(2)), .effective])
        #expect(verdicts(Bench.call, Bench.music) == [.effective, .refused(by: serial(1))])
        // A refused claim has no effect on those before it nor after it.
        #expect(
            verdicts(Bench.call, Bench.music, ambient, Bench.music)
                == [.effective, .refused(by: serial(1)), .effective, .refused(by: serial(1))])
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
                == [.interrupted(by: serial(3)), .interrupted(by: serial(3)), .effective])
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

    @Test func laterClaim_ofTheSameOwner_replacesTheEarlier() {
        let arbitration = Arbitration([
            Arbitration.Claim(serial: serial(1), configuration: Bench.call, owner: 7),
            Arbitration.Claim(serial: serial(2), configuration: Bench.music, owner: 7),
            Arbitration.Claim(serial: serial(3), configuration: Bench.music, owner: 8),
        ])
        #expect(arbitration.verdict(on: serial(1)) == .interrupted(by: serial(2)))
        #expect(arbitration.verdict(on: serial(2)) == .interrupted(by: serial(3)))
        #expect(arbitration.verdict(on: serial(3)) == .effective)
    }
}
