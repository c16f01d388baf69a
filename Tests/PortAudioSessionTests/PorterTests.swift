import Foundation
import Testing

@testable import port_audio_session

@Suite struct PorterTests {
    private func port(_ text: String) -> String { Porter.port(text).text }
    private func remarks(_ text: String) -> [String] { Porter.port(text).remarks.map { "\($0.line): \($0.text)" } }

    @Test func registration_becomesASelector_andLosesItsAttribute() {
        let old = """
            import UIKit
            class Player: NSObject {
                func start() {
                    NotificationCenter.default.addObserver(
                        self, selector: #selector(handle(_:)), name: AVAudioSession.interruptionNotification, object: nil)
                    center.addObserver(self, selector: #selector(self.reset), name: n, object: nil)
                    center.addObserver(other, selector: #selector(Other.run), name: n, object: nil)
                }
                @objc private func handle(_ notification: Notification) {}
                @objc
                func reset() {}
            }
            extension Outer.Inner {
                func f() { c.addObserver(self, selector: #selector(g), name: nil, object: nil) }
                @objc(gee) func g() {}
            }
            """
        let new = """
            import UIKit
            class Player: NSObject {
                func start() {
                    NotificationCenter.default.addObserver(
                        self, selector: Selector(Player.handle(_:)), name: AVAudioSession.interruptionNotification, object: nil)
                    center.addObserver(self, selector: Selector(Player.reset), name: n, object: nil)
                    center.addObserver(other, selector: Selector(Other.run), name: n, object: nil)
                }
                private func handle(_ notification: Notification) {}
                func reset() {}
            }
            extension Outer.Inner {
                func f() { c.addObserver(self, selector: Selector(Outer.Inner.g), name: nil, object: nil) }
                func g() {}
            }
            """
        #expect(port(old) == new)
        #expect(remarks(old) == ["5: AVAudioSession comes through another module on iOS: add import AVFoundation"])
        #expect(port(new) == new)
    }

    @Test func selectors_ofOtherCalls_stayWithTheirFunctions_andAreListed() {
        let old = """
            final class Screen {
                func start() {
                    button.addTarget(self, action: #selector(tap), for: .touchUpInside)
                    center.addObserver(self, selector: #selector(tap), name: nil, object: nil)
                }
                @objc func tap() {}
                @objc dynamic var level = 0
            }
            """
        #expect(port(old).contains("@objc func tap()"))
        #expect(port(old).contains("Selector(Screen.tap)"))
        #expect(
            remarks(old) == [
                "3: #selector(tap) in addTarget stays: Linux needs a closure there",
                "6: @objc stays: remove it where nothing of Objective-C needs the declaration",
                "7: @objc stays: remove it where nothing of Objective-C needs the declaration",
            ])
    }

    @Test func conditions_aroundAudioCode_includeLinux() {
        let old = """
            #if os(iOS) || os(tvOS)
            try AVAudioSession.sharedInstance().setActive(true)
            #else
            print("none")
            #endif
            #if os(iOS)
            print("no audio")
            #endif
            #if os(iOS)
              #if DEBUG
              let session = AVAudioSession.sharedInstance()
              #endif
            #endif
            #if os(iOS) && !targetEnvironment(macCatalyst)
            AVAudioSession.sharedInstance()
            #endif
            #if os(iOS)
            import UIKit
            import AVFoundation
            #endif
            """
        let lines = port(old).split(separator: "\n").filter { $0.hasPrefix("#if") }
        #expect(
            lines == [
                "#if os(iOS) || os(tvOS) || os(Linux)", "#if os(iOS)", "#if os(iOS) || os(Linux)",
                "#if os(iOS) && !targetEnvironment(macCatalyst)", "#if os(iOS)",
            ])
        #expect(
            remarks(old) == [
                "14: \"#if os(iOS) && !targetEnvironment(macCatalyst)\" around audio code stays: "
                    + "add os(Linux) where it belongs",
                "17: \"#if os(iOS)\" around audio code stays: it also needs UIKit",
            ])
    }

    @Test func commentsAndStrings_stay() {
        let text = """
            // @objc func f(): #selector(f)
            /* #if os(iOS) /* nested */ @objc */
            let a = "@objc #selector(b) \\" { AVAudio"
            let b = \"\"\"
                #if os(iOS)
                @objc func c() { AVAudioSession }
                \"\"\"
            """
        #expect(port(text) == text)
        #expect(remarks(text) == [])
    }

    @Test func whatLinuxLacks_isListed() {
        let text = """
            import Combine
            player.addObserver(self, forKeyPath: "rate", options: [], context: nil)
            override func observeValue(forKeyPath keyPath: String?) {}
            let key = #keyPath(AVPlayer.rate)
            """
        #expect(port(text) == text)
        #expect(remarks(text).map { $0.prefix(2) } == ["1:", "2:", "3:", "3:", "4:", "4:"])
    }

    @Test func missingImport_isListed() {
        #expect(
            remarks("import AVKit\nlet session = AVAudioSession.sharedInstance()")
                == ["2: AVAudioSession comes through another module on iOS: add import AVFoundation"])
        #expect(remarks("import AVFoundation\nlet session = AVAudioSession.sharedInstance()") == [])
    }

    @Test func difference_isOneThatPatchReads() {
        let old = (1...12).map { "line \($0)" }.joined(separator: "\n") + "\n"
        let new = old.replacingOccurrences(of: "line 5\n", with: "").replacingOccurrences(of: "line 12", with: "end")
        #expect(
            LineDiff.unified(old, new, path: "A.swift") == """
                --- a/A.swift
                +++ b/A.swift
                @@ -2,11 +2,10 @@
                 line 2
                 line 3
                 line 4
                -line 5
                 line 6
                 line 7
                 line 8
                 line 9
                 line 10
                 line 11
                -line 12
                +end

                """)
        #expect(LineDiff.unified(old, old, path: "A.swift") == "")
    }
}
