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
            #if canImport(UIKit)
            import UIKit
            #endif
            import AVFoundation
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
        #expect(remarks(old) == [])
        #expect(port(new) == new)
    }

    @Test func selectors_ofTimers_andInConditions_bringTheirImport() {
        let old = """
            import Foundation
            private extension Selector {
                #if os(iOS)
                static let lost = #selector(Player.lost)
                #endif
                static let tick = #selector(Player.tick(_:))
            }
            class Player {
                func start() {
                    tick(timer)
                    center.addObserver(self, selector: .lost, name: nil, object: nil)
                    Timer.scheduledTimer(timeInterval: 1, target: self, selector: .tick, userInfo: nil, repeats: true)
                    later = Timer(timeInterval: 1, target: self, selector: #selector(lost), userInfo: nil, repeats: false)
                }
                @objc func tick(_ timer: Timer) {}
                @objc func lost() {}
            }
            """
        let new = """
            import Foundation
            import AVFoundation
            private extension Selector {
                #if os(iOS) || os(Linux)
                static let lost = Selector(Player.lost)
                #endif
                static let tick = Selector(Player.tick(_:))
            }
            class Player {
                func start() {
                    tick(timer)
                    center.addObserver(self, selector: .lost, name: nil, object: nil)
                    Timer.scheduledTimer(timeInterval: 1, target: self, selector: .tick, userInfo: nil, repeats: true)
                    later = Timer(timeInterval: 1, target: self, selector: Selector(Player.lost), userInfo: nil, repeats: false)
                }
                func tick(_ timer: Timer) {}
                func lost() {}
            }
            """
        #expect(port(old) == new)
        #expect(remarks(old) == [])
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
        #expect(port(old).contains("    #if canImport(ObjectiveC)\n    @objc\n    #endif\n    dynamic var level = 0"))
        #expect(
            remarks(old) == [
                "3: #selector(tap) in addTarget stays: Linux needs a closure there",
                "6: @objc stays: a selector that stays names tap",
            ])
    }

    @Test func attributes_thatNoRewrittenSelectorNames_stayForIOS() {
        let old = """
            import AVFoundation
            @objc public protocol Listener {
                @objc optional func answer(_ text: String) -> Int
            }
            @objcMembers final class Player: NSObject {
                @objc(gee) func other() {}
                func start() { center.addObserver(self, selector: #selector(handle), name: nil, object: nil) }
                @objc func handle() {}
            }
            final class Other: NSObject {
                @objc func handle() {}
                private @objc func inLine() {}
            }
            """
        let new = """
            import AVFoundation
            #if canImport(ObjectiveC)
            @objc
            #endif
            public protocol Listener: AnyObject {
                #if canImport(ObjectiveC)
                @objc
                #endif
                optional func answer(_ text: String) -> Int
            }
            #if canImport(ObjectiveC)
            @objcMembers
            #endif
            final class Player: NSObject {
                #if canImport(ObjectiveC)
                @objc(gee)
                #endif
                func other() {}
                func start() { center.addObserver(self, selector: Selector(Player.handle), name: nil, object: nil) }
                func handle() {}
            }
            final class Other: NSObject {
                #if canImport(ObjectiveC)
                @objc
                #endif
                func handle() {}
                private @objc func inLine() {}
            }
            """
        #expect(port(old) == new)
        #expect(port(new) == new)
        #expect(port("    @objc protocol A: B {}").hasSuffix("    protocol A: B {}"))
        #expect(
            remarks(old) == [
                "3: an optional member needs Objective-C: give it a default in an extension",
                "12: @objc stays: put it on a line of its own inside #if canImport(ObjectiveC)",
            ])
        let screen = "import UIKit\n@objc func f(view: UIView) {}"
        #expect(port(screen) == screen)
        #expect(remarks(screen) == ["2: @objc stays: the file imports UIKit, which Linux does not have"])
    }

    @Test func optionalMembers_getDefaults() {
        let old = """
            import AVFoundation
            @objc public protocol Listener {
                @objc optional func heard(_ text: String, at time: Int)
                func ended()
            }
            final class Player {
                weak var delegate: Listener?
                func tell() { delegate?.heard?("a", at: 1); delegate?.ended() }
            }
            """
        let new = """
            import AVFoundation
            public protocol Listener: AnyObject {
                func heard(_ text: String, at time: Int)
                func ended()
            }

            extension Listener {
                public func heard(_ text: String, at time: Int) {}
            }
            final class Player {
                weak var delegate: Listener?
                func tell() { delegate?.heard("a", at: 1); delegate?.ended() }
            }
            """
        #expect(port(old) == new)
        #expect(port(new) == new)
        #expect(remarks(old) == [])
    }

    @Test func selectors_inOtherFiles_decideWhatBecomesOfAFunction() {
        let files = [
            "extension Player { func f() { c.addObserver(self, selector: #selector(handle), name: nil, object: nil) } }",
            "class Player { @objc func handle() {}\n    @objc func tap() {} }",
            "class Screen { func f() { b.addTarget(self, action: #selector(Player.tap), for: .touchUpInside) } }",
        ]
        let results = Porter.port(files)
        #expect(results[0].text.contains("#selector") == false)
        #expect(results[1].text == "class Player { func handle() {}\n    @objc func tap() {} }")
        #expect(results[1].remarks.map(\.text) == ["@objc stays: a selector that stays names tap"])
        #expect(results[2].text == files[2])
    }

    @Test func selectors_inConstants_areRewritten_whereOnlyObserversGetThem() {
        let observer = """
            class Player {
                private static let interrupted = #selector(handle(_:))
                private let tapped = #selector(tap)
                static let changed =
                    #selector(changed(_:))
                func start() {
                    center.addObserver(self, selector: Self.interrupted, name: nil, object: nil)
                    center.addObserver(self, selector: .changed, name: nil, object: nil)
                    button.addTarget(self, action: tapped, for: .touchUpInside)
                }
                @objc func handle(_ notification: Notification) {}
                @objc func changed(_ notification: Notification) {}
            }
            """
        #expect(port(observer).contains("Selector(Player.changed(_:))"))
        #expect(port(observer).contains("static let interrupted = Selector(Player.handle(_:))"))
        #expect(port(observer).contains("    func handle("))
        #expect(remarks(observer) == ["3: #selector(tap) in no call stays: Linux needs a closure there"])
    }

    @Test func strings_withMarksAndQuotes_stay() {
        let text = ##"let a = #"@objc "quoted" \#(b) @objc func c()"#; let d = "/* @objc"; let e = 1 /* @objc func */"##
        #expect(port(text) == text)
        #expect(remarks(text) == [])
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

    @Test func conditions_insideAudioCode_includeLinux() {
        let old = """
            #if os(iOS) || os(macOS)
            import AVFoundation
            func play() {
              #if os(iOS)
              activate()
              #else
              #if os(iOS)
              #endif
              #endif
              #if os(iOS) && DEBUG
              log()
              #endif
            }
            #if os(iOS)
            func activate() { try? AVAudioSession.sharedInstance().setActive(true) }
            #endif
            #endif
            """
        #expect(
            port(old).split(separator: "\n").filter { $0.contains("#if") } == [
                "#if os(iOS) || os(macOS) || os(Linux)", "  #if os(iOS) || os(Linux)", "  #if os(iOS) || os(Linux)",
                "  #if os(iOS) && DEBUG", "#if os(iOS) || os(Linux)",
            ])
        #expect(
            remarks(old) == ["10: \"#if os(iOS) && DEBUG\" around audio code stays: add os(Linux) where it belongs"])
        #expect(port(port(old)) == port(old))
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

    @Test func remoteCommands_getClosures_andAllTheirHandlersAreRemoved() {
        let old = """
            import MediaPlayer
            final class Remote: NSObject {
                func start() {
                    center.playCommand.addTarget(self, action: #selector(play))
                    _ = center.skipForwardCommand.addTarget(self, action: #selector(Remote.skip(event:)))
                    command?.addTarget(other, action: #selector(Other.handle(_:)))
                    pinch.addTarget(self, action: #selector(play))
                    center.stopCommand.addTarget(self, action: #selector(unknown))
                }
                func stop() {
                    center.playCommand.removeTarget(self)
                    center.skipForwardCommand.removeTarget(self, action: #selector(skip(event:)))
                    center.pauseCommand.removeTarget(token)
                }
                @objc func play() -> MPRemoteCommandHandlerStatus { .success }
                @objc func skip(event: MPSkipIntervalCommandEvent) -> MPRemoteCommandHandlerStatus { .success }
            }
            class Other {
                @objc func handle(_ event: MPRemoteCommandEvent) {}
            }
            """
        let new = """
            import MediaPlayer
            final class Remote: NSObject {
                func start() {
                    center.playCommand.addTarget { [weak self] _ in self?.play() ?? .commandFailed }
                    _ = center.skipForwardCommand.addTarget { [weak self] event in self?.skip(event: event as! MPSkipIntervalCommandEvent) ?? .commandFailed }
                    command?.addTarget { [weak target = other] event in target?.handle(event); return .success }
                    pinch.addTarget(self, action: #selector(play))
                    center.stopCommand.addTarget(self, action: #selector(unknown))
                }
                func stop() {
                    center.playCommand.removeTarget(nil)
                    center.skipForwardCommand.removeTarget(nil)
                    center.pauseCommand.removeTarget(token)
                }
                @objc func play() -> MPRemoteCommandHandlerStatus { .success }
                func skip(event: MPSkipIntervalCommandEvent) -> MPRemoteCommandHandlerStatus { .success }
            }
            class Other {
                func handle(_ event: MPRemoteCommandEvent) {}
            }
            """
        #expect(port(old) == new)
        #expect(port(new) == new)
        let removal = "removeTarget(nil) removes all handlers of the command, not those of one object alone"
        #expect(
            remarks(old) == [
                "7: #selector(play) in addTarget stays: Linux needs a closure there",
                "8: #selector(unknown) in addTarget stays: Linux needs a closure there",
                "11: \(removal)", "12: \(removal)", "15: @objc stays: a selector that stays names play",
            ])
        // A handler that is a closure is found by its token.
        #expect(port("center.playCommand.removeTarget(self)") == "center.playCommand.removeTarget(self)")
    }

    @Test func observersOfKeyPaths_inheritWhatHasTheMethod() {
        let old = """
            import AVFoundation
            final class Watcher: NSObject, Listener {
                private static var context = 0
                enum Paths { static let keepsUp = #keyPath(AVPlayerItem.isPlaybackLikelyToKeepUp) }
                func start() {
                    item.addObserver(self, forKeyPath: Paths.keepsUp, options: .new, context: &Watcher.context)
                    player.addObserver(self, forKeyPath: #keyPath( AVPlayer.currentItem.status ), context: nil)
                    view.addObserver(self, forKeyPath: #keyPath(Layer.rect), context: nil)
                }
                override func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) {
                    super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
                }
            }
            final class Split: NSObject {}
            extension Split { override func observeValue(forKeyPath keyPath: String?) {} }
            class CachedItem: AVPlayerItem { override open func observeValue(forKeyPath keyPath: String?) {} }
            class Lower: Base { override func observeValue(forKeyPath keyPath: String?) {} }
            """
        var new = old
        for (before, after) in [
            ("Watcher: NSObject", "Watcher: KeyValueObserver"), ("Split: NSObject", "Split: KeyValueObserver"),
            ("#keyPath(AVPlayerItem.isPlaybackLikelyToKeepUp)", "\"playbackLikelyToKeepUp\""),
            ("#keyPath( AVPlayer.currentItem.status )", "\"currentItem.status\""),
        ] {
            new = new.replacingOccurrences(of: before, with: after)
        }
        #expect(port(old) == new)
        #expect(port(new) == new)
        #expect(
            remarks(old) == [
                "8: #keyPath(Layer.rect) does not exist on Linux: write the name as a string",
                "10: for iOS, add typealias KeyValueObserver = NSObject in #if canImport(ObjectiveC)",
                "18: an override in an extension needs Objective-C: move it into the class Split",
                "20: the class that overrides observeValue has to inherit KeyValueObserver instead of NSObject",
            ])
        let screen =
            "import UIKit\nclass A: NSObject { var v: UIView; override func observeValue(forKeyPath keyPath: String?) {} }"
        #expect(port(screen) == screen)
        #expect(
            remarks(screen) == ["2: observeValue stays: the file imports UIKit, which Linux does not have"])
    }

    @Test func observers_whoseRootClassIsInAnotherFile_inheritThroughIt() {
        let observer = "import AVFoundation\nclass Low: Mid { override func observeValue(forKeyPath path: String?) {} }"
        let files = [
            observer, "class Mid: Shop.Base {}", "import AVFoundation\nclass Base: NSObject, Listener {}",
        ]
        let results = Porter.port(files)
        #expect(
            results.map(\.text) == [
                observer, files[1], "import AVFoundation\nclass Base: KeyValueObserver, Listener {}",
            ])
        #expect(results.flatMap(\.remarks).count == 1)
        #expect(Porter.port(results.map(\.text)).map(\.text) == results.map(\.text))
        // A class that inherits itself, and a root class of a screen.
        let missing = ["the class that overrides observeValue has to inherit KeyValueObserver instead of NSObject"]
        #expect(Porter.port([observer, "class Mid: Low {}"])[0].remarks.map(\.text) == missing)
        let screen = "import UIKit\nclass Mid: NSObject { var view: UIView }"
        let besideScreen = Porter.port([observer, screen])
        #expect(besideScreen[0].remarks.map(\.text) == missing)
        #expect(besideScreen[1].text == screen)
    }

    @Test func attributes_besideEachOther_areGuardedTogether() {
        let old = "@objc(Ring) @objcMembers public final class Ring {}\n@objc @MainActor class Other {}"
        let new = """
            #if canImport(ObjectiveC)
            @objc(Ring) @objcMembers
            #endif
            public final class Ring {}
            #if canImport(ObjectiveC)
            @objc
            #endif
            @MainActor class Other {}
            """
        #expect(port(old) == new)
        #expect(port(new) == new)
        #expect(remarks(old) == [])
    }

    @Test func importsOfScreens_withoutANameOfTheirs_areGuarded() {
        let old = "internal import UIKit\nlet size: CGSize\n@objc protocol A {}"
        let new = """
            #if canImport(UIKit)
            internal import UIKit
            #endif
            import Foundation
            let size: CGSize
            #if canImport(ObjectiveC)
            @objc
            #endif
            protocol A: AnyObject {}
            """
        #expect(port(old) == new)
        #expect(port(new) == new)
        for name in ["UIImage()", "CALayer", "NSLayoutConstraint", "@IBAction", "CGContext"] {
            let text = "import UIKit\nlet a: \(name)"
            #expect(port(text) == text)
        }
        // Names of these have no common beginning.
        #expect(port("import AppKit\nimport SwiftUI\nlet a = 1") == "import AppKit\nimport SwiftUI\nlet a = 1")
    }

    @Test func partsOfModules_areImportedAsTheWhole() {
        #expect(
            port("import AVFoundation.AVPlayerItem\n@preconcurrency import AudioToolbox.AudioFile\nimport os.log")
                == "import AVFoundation\n@preconcurrency import AudioToolbox\nimport os.log")
        // One declaration alone is no import of a part.
        #expect(port("import class AVFoundation.AVPlayer").hasPrefix("import class AVFoundation.AVPlayer\n"))
    }

    @Test func overridesInExtensions_areListed() {
        let text =
            "extension Shop.Song { override var description: String { \"\" } }\nclass A: B { override func c() {} }"
        #expect(port(text) == text)
        #expect(remarks(text) == ["1: an override in an extension needs Objective-C: move it into the class Shop.Song"])
    }

    @Test func copyOfSelector_isListedUntilTheProjectHasIt() {
        let user = "let a = Selector(Player.handle(_:))"
        #expect(Porter.remarks(onProject: ["let a = Selector((\"handle:\"))", "struct Selector {}"]) == [])
        #expect(Porter.remarks(onProject: [user]).count == 1)
        #expect(Porter.remarks(onProject: [user, "public protocol SelectorArgument {}"]) == [])
    }

    @Test func whatLinuxLacks_isListed() {
        let text = "import Combine\nimport AVFoundation"
        #expect(port(text) == text)
        #expect(remarks(text).map { $0.prefix(2) } == ["1:"])
        #expect(remarks("import Accelerate\nimport Network\nimport UniformTypeIdentifiers").count == 3)
    }

    @Test func missingImports_areAdded() {
        let old = "// A player.\n\nimport AVKit\n#if os(macOS)\nimport AppKit\n#endif\nlet s: AVPlayer, t: URLSession"
        #expect(
            port(old) == """
                // A player.

                import AVKit
                import AVFoundation
                #if canImport(FoundationNetworking)
                import FoundationNetworking
                #endif
                #if os(macOS)
                import AppKit
                #endif
                let s: AVPlayer, t: URLSession
                """)
        #expect(port(port(old)) == port(old))
        #expect(port("import MediaPlayer\nlet s: AVPlayer") == "import MediaPlayer\nlet s: AVPlayer")
        #expect(port("let t: Foundation.URLSession.Task").hasSuffix("#endif\nlet t: URLSession.Task"))
        #expect(port("let s: AVPlayer") == "import AVFoundation\nlet s: AVPlayer")
    }

    @Test func modulesThatLinuxLacks_areListed() {
        #expect(
            remarks("import os.log\nimport OSLog\nimport AVKit") == [
                "1: the module os does not exist on Linux: swift-log's Logger has the same calls, without privacy:",
                "2: the module OSLog does not exist on Linux: swift-log's Logger has the same calls",
                "3: AVKit does not exist on Linux: move what needs it to another file",
            ])
        #expect(
            remarks("import CoreMIDI\nimport CryptoKit\nimport Darwin.C") == [
                "1: CoreMIDI does not exist on Linux: use an ALSA or PipeWire MIDI library",
                "2: CryptoKit does not exist on Linux: swift-crypto's module Crypto has the same calls",
                "3: the module Darwin does not exist on Linux: Foundation brings the C library on both",
            ])
    }

    @Test func namesThatLinuxLacks_areListedOnce() {
        #expect(
            remarks(
                """
                import AppKit
                import Speech
                let a = OSAllocatedUnfairLock(initialState: 0), b = OSAllocatedUnfairLock(initialState: 1)
                let c = AudioObjectGetPropertyData(device, &address, 0, nil, &size, &name)
                """) == [
                    "1: AppKit does not exist on Linux: move what needs it to another file",
                    "2: Speech does not exist on Linux: move what needs it to another file",
                    "3: OSAllocatedUnfairLock does not exist on Linux: use Mutex of Synchronization",
                    "4: Core Audio has no devices on Linux: use AVAudioSession.setPreferredInput",
                ])
    }

    @Test func modulesThatACondition_asksFor_areNotListed() {
        #expect(remarks("#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif").isEmpty)
        #expect(remarks("#if canImport(os)\nimport os.log\n#endif").isEmpty)
        // The tool adds Linux to that condition.
        #expect(remarks("#if os(iOS)\nimport OSLog\nlet session: AVAudioSession\n#endif").count == 1)
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
