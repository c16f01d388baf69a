import AudioModel
import Foundation
import OpenAudioSession
import RuntimeTestSupport
import SessionCore
import Testing

@Suite struct SessionErrorTests {
    @Test func everyCode_becomesAnNSErrorAsAppleThrowsIt() {
        let rows: [(SessionError.Code, AVAudioSession.ErrorCode)] = [
            (.mediaServicesFailed, .mediaServicesFailed), (.isBusy, .isBusy),
            (.incompatibleCategory, .incompatibleCategory), (.cannotInterruptOthers, .cannotInterruptOthers),
            (.cannotStartPlaying, .cannotStartPlaying), (.badParam, .badParam),
            (.insufficientPriority, .insufficientPriority), (.resourceNotAvailable, .resourceNotAvailable),
            (.unspecified, .unspecified), (.expiredSession, .expiredSession), (.sessionNotActive, .sessionNotActive),
        ]
        #expect(rows.count == 11)
        for (code, expected) in rows {
            let error = NSError(SessionError(code, "What happened. What to do."))
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.domain == "NSOSStatusErrorDomain")
            #expect(error.code == expected.rawValue)
            #expect(error.localizedDescription == "What happened. What to do.")
            #expect(AVAudioSession.ErrorCode(rawValue: error.code) == expected)
        }
    }

    @Test func unknownCategory_throwsBadParamNamingItAndTheAllowed() throws {
        let session = AVAudioSession(runtime: unconnectedRuntime())
        let error = try #require(
            throws: NSError.self, performing: { try session.setCategory(AVAudioSession.Category(rawValue: "loud")) })
        #expect(error.code == AVAudioSession.ErrorCode.badParam.rawValue)
        #expect(error.localizedDescription.contains("\"loud\""))
        #expect(error.localizedDescription.contains("AVAudioSessionCategoryPlayback"))
        #expect(session.category == .soloAmbient)
    }

    @Test func unknownMode_throwsBadParamNamingItAndTheAllowed() throws {
        let session = AVAudioSession(runtime: unconnectedRuntime())
        for call in [
            { try session.setMode(AVAudioSession.Mode(rawValue: "quiet")) },
            { try session.setCategory(.playback, mode: AVAudioSession.Mode(rawValue: "quiet")) },
            { try session.setCategory(.playback, mode: .init(rawValue: "quiet"), policy: .default) },
        ] {
            let error = try #require(throws: NSError.self, performing: call)
            #expect(error.code == -50)
            #expect(error.localizedDescription.contains("\"quiet\""))
            #expect(error.localizedDescription.contains("AVAudioSessionModeSpokenAudio"))
        }
        #expect(session.mode == .default)
    }

    @Test func thrownError_canBeCaughtInTheFormsInUse() {
        let session = AVAudioSession(runtime: unconnectedRuntime())
        var caught: [Int] = []
        do { try session.setMode(AVAudioSession.Mode(rawValue: "")) } catch { caught.append((error as NSError).code) }
        do { try session.setMode(AVAudioSession.Mode(rawValue: "")) } catch let error as NSError {
            caught.append(error.code)
        } catch { caught.append(0) }
        #expect(caught == [-50, -50])
        #expect((try? session.setMode(AVAudioSession.Mode(rawValue: ""))) == nil)
    }
}
