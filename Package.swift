// swift-tools-version: 6.2
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// pkg-config is asked only where libpipewire's headers are not in the usual place: SwiftPM does not allow a flag of its answer
// and warns every consumer of that (docs/decisions/0037-libpipewire-without-pkg-config.md). dev/test --lane without-pipewire builds the
// tree as a machine without the headers would.
let withoutPipeWire = Context.environment["OAV_WITHOUT_PIPEWIRE"] == "1"
let usualPipeWire =
    !withoutPipeWire && FileManager.default.fileExists(atPath: "/usr/include/pipewire-0.3/pipewire/pipewire.h")
let pkgConfigOfPipeWire = usualPipeWire ? nil : withoutPipeWire ? "no-such-package" : "libpipewire-0.3"

/// A room: a folder of modules.
///
/// A module imports only what this file names as its dependencies (dev/checks/purity).
func room(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets {
        target.path = target.path ?? "\(folder)/\(target.name)"
        if target.type != .system { target.swiftSettings = target.swiftSettings ?? strict }
    }
    return targets
}

/// A dependency that a Mac would not build (docs/decisions/0109-the-simulated-phone-on-a-mac.md).
func linuxOnly(_ name: String) -> Target.Dependency { .byName(name: name, condition: .when(platforms: [.linux])) }

/// The way from a folder of the package to its root.
func root(from folder: String) -> String { String(repeating: "../", count: folder.split(separator: "/").count) }

/// A C target that calls libpipewire.
func pipeWireTarget(
    _ name: String, dependencies: [Target.Dependency] = [], path: String, cSettings: [CSetting] = []
) -> Target {
    .target(
        name: name, dependencies: ["CPipeWire"] + dependencies, path: path,
        cSettings: cSettings
            + (usualPipeWire ? [.headerSearchPath("\(root(from: path))Sources/C/CPipeWire/usual")] : []),
        linkerSettings: usualPipeWire ? [.linkedLibrary("pipewire-0.3")] : [])
}

let package = Package(
    name: "open-avfaudio",
    products: [
        .library(name: "OpenAudioSession", targets: ["OpenAudioSession"]),
        .library(name: "OpenAVFAudio", targets: ["OpenAVFAudio"]),
        .library(name: "OpenSpeech", targets: ["OpenSpeech"]),
        .library(name: "OpenAVFoundation", targets: ["OpenAVFoundation"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "CoreAudio", targets: ["CoreAudio"]),
        .library(name: "CoreAudioTypes", targets: ["CoreAudioTypes"]),
        .library(name: "MediaToolbox", targets: ["MediaToolbox"]),
        .library(name: "AudioDeviceSelection", targets: ["AudioDeviceSelection"]),
        .library(name: "OpenLV2", targets: ["OpenLV2"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "OpenAVFAudioTestKit", targets: ["OpenAVFAudioTestKit"]),
        .executable(name: "audiosession", targets: ["audiosession"]),
        .plugin(name: "PortAudioSession", targets: ["PortAudioSession"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        room(
            "Sources/Base",
            [
                // Values that all rooms share: ports, events of a host, errors, the words of a session.
                .target(name: "AudioModel"),
                // Waiting for other threads, queues between them, and the C library under one name.
                .target(name: "Threading"),
                // Apple's CMTime and its kin.
                .target(name: "CoreMedia"),
                // A connection to a D-Bus message bus.
                .target(name: "SessionBus", dependencies: ["AudioModel", "CSdBus", "Threading"]),
                // Objects of ours on such a bus, its names, and the words of MPRIS: for the guard and for media controls.
                .target(name: "BusObjects", dependencies: ["SessionBus", "CSdBus", "Threading"]),
            ]),
        room(
            "Sources/Session",
            [
                // What a session decides: a pure machine.
                .target(name: "SessionCore", dependencies: ["AudioModel"]),
                // What players, recorders and engines do: pure machines.
                .target(name: "TransportCore", dependencies: ["AudioModel"]),
                // The session thread, its streams, notices and trace; it selects the host. No name of Apple.
                .target(
                    name: "SessionRuntime",
                    dependencies: [
                        "AudioModel", "HostInterface", "SessionCore", "TransportCore", "HostSimulated", "Threading",
                        "CRealtime", linuxOnly("HostPipeWire"), linuxOnly("SleepWatch"),
                    ]),
                // Waits until a session and its observers have nothing to do: for tests, scenes and the program.
                .target(name: "SessionRest", dependencies: ["SessionRuntime", "AudioModel", "Threading"]),
                // AVAudioSession, AVAudioApplication, routes and ports, and what Foundation lacks on Linux.
                .target(
                    name: "OpenAudioSession",
                    dependencies: [
                        "SessionRuntime", "AudioModel", "HostInterface", "SessionCore", "Threading", "CAudioTypes",
                    ]),
            ]),
        room(
            "Sources/Sound",
            [
                // What runs in the render cycle: no lock, no allocation.
                .target(name: "RenderCore", dependencies: ["CRealtime"]),
                // The effects and the table of their parameters.
                .target(name: "EffectCore", dependencies: ["CRealtime"]),
                // The graph of an engine, its plan, and what feeds it.
                .target(
                    name: "EngineCore",
                    dependencies: ["RenderCore", "EffectCore", "AudioModel", "CRealtime", "Threading"]),
                // SoundTouch: speed and pitch, each by itself, for time pitches and players.
                .target(name: "TimePitch", dependencies: ["EngineCore", "CTimePitch"]),
                // libmysofa: the filters of a head, for environments.
                .target(name: "SofaHead", dependencies: ["EffectCore", "CSofa"]),
                // Files of sound: reading, writing, converting.
                .target(
                    name: "AudioFiles", dependencies: ["AudioModel", "Threading", "CSndfile", "CSoxr", "CLibav"]),
                // Sounds from servers, and those whose bytes an app gives.
                .target(
                    name: "MediaStreams",
                    dependencies: ["AudioFiles", "AudioModel", "Threading", "CLibav", "CLibavMedia", "CLibcurl"]),
                // Chapters, pictures and all other facts of a file's tags.
                .target(name: "MediaTags", dependencies: ["AudioFiles", "CLibavMedia"]),
            ]),
        room(
            "Sources/Hosts",
            [
                // What a host is.
                .target(name: "HostInterface", dependencies: ["AudioModel", "CRealtime"]),
                // A machine in virtual time.
                .target(
                    name: "HostSimulated", dependencies: ["HostInterface", "AudioModel", "Threading", "CRealtime"]),
                // What tests, scenes and the program do to a simulated machine, and its record.
                .target(
                    name: "SimulatedControls",
                    dependencies: ["HostSimulated", "HostInterface", "AudioModel", "Threading"]),
                // PipeWire as the host.
                .target(
                    name: "HostPipeWire",
                    dependencies: [
                        "HostInterface", "AudioModel", "CRealtime", "CPipeWireShims", "Threading",
                    ],
                    exclude: ["PipeWireTier.md"]),
                // What `doctor` and the command line say about a PipeWire server and its outputs.
                .target(
                    name: "HostDiagnosis",
                    dependencies: ["HostPipeWire", "HostInterface", "AudioModel", "CPipeWireShims", "Threading"]),
                // Tells before the machine sleeps, by logind.
                .target(
                    name: "SleepWatch", dependencies: ["AudioModel", "HostInterface", "SessionBus", "Threading"]),
            ]),
        room(
            "Sources/Runtime",
            [
                // Players, recorders, engines and their effects. No name of Apple.
                .target(
                    name: "AudioRuntime",
                    dependencies: [
                        "SessionRuntime", "AudioModel", "HostInterface", "SessionCore", "TransportCore", "RenderCore",
                        "EngineCore", "EffectCore", "AudioFiles", "Threading", "CRealtime",
                    ]),
                // What a queue of items does: a pure machine.
                .target(name: "QueueCore", dependencies: ["AudioModel", "TransportCore"]),
                // The queue of AVPlayer and of the command line, on file players.
                .target(
                    name: "QueueRuntime",
                    dependencies: [
                        "AudioRuntime", "SessionRuntime", "QueueCore", "AudioFiles", "AudioModel", "EngineCore",
                        "HostInterface", "SessionCore", "TransportCore",
                    ]),
                // What the command line uses of the runtimes: players of addresses, the list of effects, facts about the server,
                // the controls of a simulated machine.
                .target(
                    name: "ProgramRuntime",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "QueueRuntime", "AudioModel", "HostInterface", "SessionCore",
                        "TransportCore", "EngineCore", "EffectCore", "AudioFiles", "MediaStreams", "MediaTags",
                        "HostDiagnosis", "HostPipeWire", "HostSimulated", "SimulatedControls", "SleepWatch",
                        "Threading", "CRealtime",
                    ]),
            ]),
        room(
            "Sources/Apple",
            [
                // Apple's AVFAudio without the session and speech: engine, files, players, recorders, effects, audio units.
                .target(
                    name: "OpenAVFAudio",
                    dependencies: [
                        "OpenAudioSession", "SessionRuntime", "AudioRuntime", "AudioModel", "SessionCore",
                        "RenderCore", "EngineCore", "EffectCore", "AudioFiles", "TimePitch",
                        "SofaHead", "CRealtime",
                        "CAudioTypes",
                    ]),
                // What a synthesizer speaks: a pure machine.
                .target(name: "SpeechCore"),
                // Apple's AVSpeechSynthesizer.
                .target(
                    name: "OpenSpeech",
                    dependencies: [
                        "OpenAVFAudio", "OpenAudioSession", "SessionRuntime", "AudioRuntime", "AudioModel",
                        "SessionCore", "SpeechCore",
                        "AudioFiles", "SessionBus", "Threading",
                    ]),
                // AVPlayer, items, assets, mixes and taps.
                .target(
                    name: "OpenAVFoundation",
                    dependencies: [
                        "OpenAVFAudio", "OpenAudioSession", "OpenSpeech", "SessionRuntime", "AudioRuntime",
                        "QueueRuntime", "AudioModel", "EngineCore", "TimePitch", "AudioFiles", "MediaStreams",
                        "MediaTags", "CAudioTypes", "CoreMedia",
                    ]),
                // Re-exports the session, OpenAVFAudio and speech.
                .target(name: "AVFAudio", dependencies: ["OpenAVFAudio", "OpenSpeech"]),
                // Re-exports all of these.
                .target(name: "AVFoundation", dependencies: ["OpenAVFoundation"]),
                // Re-exports the C types.
                .target(
                    name: "CoreAudio", dependencies: ["OpenAVFAudio", "OpenAudioSession", "CAudioTypes"]),
                // The same as CoreAudio.
                .target(name: "CoreAudioTypes", dependencies: ["CoreAudio"]),
                // Re-exports audio units, system sounds and CoreAudio.
                .target(
                    name: "AudioToolbox", dependencies: ["OpenAVFAudio", "OpenAudioSession", "CoreAudio"],
                    swiftSettings: strict
                ),
                // Re-exports taps of a track's sound.
                .target(name: "MediaToolbox", dependencies: ["OpenAVFoundation", "CoreMedia"]),
                // Apple's names for the desktop's media controls.
                .target(
                    name: "MediaPlayer",
                    dependencies: ["AVFoundation", "BusObjects", "SessionBus", "AudioModel", "Threading"]),
            ]),
        room(
            "Sources/Extras",
            [
                // The choice of an output by device or type.
                .target(
                    name: "AudioDeviceSelection",
                    dependencies: ["OpenAVFAudio", "OpenAudioSession", "SessionRuntime", "SessionCore", "AudioModel"]),
                // The installed LV2 plug-ins as audio units, for programs that call LV2Plugins.register().
                .target(
                    name: "OpenLV2",
                    dependencies: ["EngineCore", "EffectCore", "AudioModel", "Threading", "CLilv", "CRealtime"]),
                // The simulated machine for tests of apps.
                .target(
                    name: "OpenAVFAudioTestKit",
                    dependencies: [
                        "OpenAudioSession", "SessionRest",
                        "SessionRuntime", "HostSimulated", "SimulatedControls", "AudioModel",
                        "Threading",
                        "SceneCore", "SceneRuntime",
                    ]),
            ]),
        room(
            "Sources/Scenes",
            [
                // Scenes, their spelling, histories and pictures: pure values.
                .target(name: "SceneCore", dependencies: ["AudioModel"]),
                // Performs scenes on a host, records them, and makes them of traces and dumps.
                .target(
                    name: "SceneRuntime",
                    dependencies: [
                        "SceneCore", "SessionRest", "SessionRuntime", "AudioRuntime", "QueueRuntime", "HostSimulated",
                        "SimulatedControls", "HostInterface", "SessionCore", "AudioModel", "AudioFiles", "Threading",
                    ]),
            ]),
        room(
            "Sources/Tool",
            [
                // What the guard decides: a pure machine.
                .target(name: "GuardCore", dependencies: ["AudioModel"]),
                // The guard on PipeWire and on the desktop.
                .target(
                    name: "GuardRuntime",
                    dependencies: [
                        "AudioModel", "SessionCore", "GuardCore", "HostPipeWire", "BusObjects", "SessionBus",
                        "Threading", "CPipeWireShims", "CPipeWireGuardShims", "SceneCore",
                    ]),
                // The command line.
                .executableTarget(
                    name: "audiosession",
                    dependencies: [
                        "OpenAVFoundation", "OpenAVFAudio", "OpenAudioSession", "AudioDeviceSelection", "OpenLV2",
                        "SessionRest", "SessionRuntime",
                        "AudioRuntime", "QueueRuntime", "ProgramRuntime", "GuardRuntime", "TimePitch", "MediaPlayer",
                        "Threading", "SceneCore", "SceneRuntime",
                        .product(name: "ArgumentParser", package: "swift-argument-parser"),
                    ]),
                // `swift package port-audio-session`.
                .executableTarget(name: "port-audio-session"),
            ]),
        room(
            "Sources/C",
            [
                // The C types and constants of Apple's CoreAudioTypes.
                .target(name: "CAudioTypes"),
                // Loads FFmpeg's libraries at run time, of any major version from 59 on, and needs no header of them.
                .target(name: "CLibav"),
                // Sounds that are no files, and the pictures of files, by CLibav's decoder.
                .target(
                    name: "CLibavMedia", dependencies: ["CLibav"], cSettings: [.headerSearchPath("../CLibav")]),
                // Loads libcurl at run time, and needs no header of it.
                .target(name: "CLibcurl"),
                // Loads lilv at run time, and needs no header of it.
                .target(name: "CLilv", dependencies: ["CRealtime"]),
                // The headers of libpipewire.
                .systemLibrary(
                    name: "CPipeWire", pkgConfig: pkgConfigOfPipeWire, providers: [.apt(["libpipewire-0.3-dev"])]),
                // Calls libpipewire: proxies, streams, the gate and the cycle. It decides nothing else.
                pipeWireTarget("CPipeWireShims", dependencies: ["CRealtime"], path: "Sources/C/CPipeWireShims"),
                // What only the guard has in C: its sinks and targets on the host of CPipeWireShims, and the reader of configuration.
                pipeWireTarget(
                    "CPipeWireGuardShims", dependencies: ["CPipeWireShims"], path: "Sources/C/CPipeWireGuardShims",
                    cSettings: [.headerSearchPath("../CPipeWireShims")]),
                // Atomic cells, clocks and real-time scheduling for the render thread.
                .target(name: "CRealtime", linkerSettings: [.linkedLibrary("m")]),
                // Loads libsystemd at run time, and needs no header of it.
                .target(name: "CSdBus"),
                // The headers of libsndfile.
                .systemLibrary(
                    name: "CSndfile", pkgConfig: "sndfile",
                    providers: [.apt(["libsndfile1-dev"]), .brew(["libsndfile"])]),
                // Loads libmysofa at run time, and needs no header of it.
                .target(name: "CSofa"),
                // The headers of libsoxr.
                .systemLibrary(
                    name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"]), .brew(["libsoxr"])]),
                // Loads SoundTouch at run time, and needs no header of it.
                .target(name: "CTimePitch"),
            ]),
        room(
            "Tests/Base",
            [
                .testTarget(name: "AudioModelTests", dependencies: ["AudioModel"]),
                .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
                .testTarget(name: "CoreMediaTests", dependencies: ["CoreMedia"]),
                .testTarget(
                    name: "SessionBusTests", dependencies: ["SessionBus", "BusObjects", "BusRig"]),
            ]),
        room(
            "Tests/Session",
            [
                .testTarget(
                    name: "SessionCoreTests", dependencies: ["SessionCore", "AudioModel", "TestSupport"]),
                .testTarget(
                    name: "TransportCoreTests", dependencies: ["TransportCore", "AudioModel", "TestSupport"]),
            ]),
        room(
            "Tests/Sound",
            [
                .testTarget(
                    name: "RenderCoreTests", dependencies: ["RenderCore", "CRealtime", "RenderBench", "TestSupport"]),
                .testTarget(
                    name: "EffectCoreTests", dependencies: ["EffectCore", "CRealtime", "TestSupport"]),
                .testTarget(
                    name: "EngineCoreTests",
                    dependencies: ["EngineCore", "RenderCore", "AudioModel", "CRealtime", "RenderBench", "TestSupport"]),
                .testTarget(
                    name: "AudioFilesTests",
                    dependencies: ["AudioFiles", "AudioModel", "TestAudio", "TestSupport", "make-sample"]),
                .testTarget(
                    name: "MediaStreamsTests",
                    dependencies: ["MediaStreams", "AudioFiles", "AudioModel", "TestAudio", "TestSupport"]),
                .testTarget(
                    name: "MediaTagsTests", dependencies: ["MediaTags", "AudioFiles", "TestAudio", "TestSupport"]),
                .testTarget(name: "RealtimeGuardTests"),
                // What proves that dev/test --lane realtime can fail; elsewhere its tests are off.
                .testTarget(name: "RealtimeSanitizerTests", dependencies: ["CRealtime"]),
            ]),
        room(
            "Tests/Hosts",
            [
                .testTarget(
                    name: "HostSimulatedTests",
                    dependencies: [
                        "HostSimulated", "SimulatedControls", "HostInterface", "AudioModel", "Threading", "CRealtime",
                        "TestSupport",
                    ]),
                .testTarget(
                    name: "HostPipeWireTests",
                    dependencies: [
                        "HostPipeWire", "HostDiagnosis", "HostInterface", "CPipeWireShims", "AudioModel", "TestSupport",
                    ]),
                .testTarget(
                    name: "HostPipeWireServerTests",
                    dependencies: [
                        "HostPipeWire", "HostDiagnosis", "HostInterface", "AudioModel", "CRealtime", "EngineCore",
                        "PipeWireRig", "CMockLogin", "TestSupport",
                        "GuardCore", "GuardRuntime", "BusObjects", "SessionBus", "SleepWatch", "BusRig",
                    ]),
                .testTarget(
                    name: "HostContractTests",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "OpenAudioSession", "OpenAVFAudio", "OpenSpeech",
                        "OpenAVFoundation",
                        "HostPipeWire", "HostSimulated", "SimulatedControls", "HostInterface", "SessionCore",
                        "AudioModel", "PipeWireRig", "TestAudio", "TestSupport", "EngineCore", "CRealtime",
                        "AudioFiles", "AudioDeviceSelection", "CoreMedia", "GuardRuntime", "RuntimeTestSupport",
                        "Threading", "SceneCore", "SceneRuntime", "BusRig", "QueueCore", "QueueRuntime",
                    ]),
                .testTarget(name: "SleepWatchTests", dependencies: ["SleepWatch", "TestSupport"]),
            ]),
        room(
            "Tests/Runtime",
            [
                .testTarget(
                    name: "AudioRuntimeTests",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "AudioFiles", "AudioModel", "CRealtime", "EngineCore",
                        "HostInterface", "HostPipeWire", "HostSimulated", "SimulatedControls", "ProgramRuntime",
                        "RenderBench", "RuntimeTestSupport", "SessionCore", "TestAudio", "SceneCore", "SceneRuntime",
                        "TestSupport", "TimePitch", "Threading",
                    ]),
                .testTarget(
                    name: "QueueCoreTests", dependencies: ["QueueCore", "TransportCore", "AudioModel", "TestSupport"]),
                .testTarget(
                    name: "ProgramRuntimeTests",
                    dependencies: [
                        "ProgramRuntime", "AudioRuntime", "AudioFiles", "AudioModel", "CRealtime", "EngineCore",
                        "HostSimulated", "SimulatedControls", "RuntimeTestSupport", "TestAudio", "TestSupport",
                    ]),
            ]),
        room(
            "Tests/Apple",
            [
                .testTarget(name: "SpeechCoreTests", dependencies: ["SpeechCore", "TestSupport"]),
                .testTarget(
                    name: "OpenAVFAudioTests",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "OpenAudioSession", "OpenAVFAudio", "OpenSpeech",
                        "OpenAVFoundation",
                        "OpenAVFAudioTestKit", "OpenLV2", "AudioFiles", "MediaStreams", "AudioModel", "CAudioTypes",
                        "CRealtime", "EngineCore", "RenderCore", "CoreMedia", "HostInterface", "HostSimulated",
                        "SimulatedControls",
                        "RuntimeTestSupport", "SessionCore", "BusRig", "TestAudio", "TestSupport",
                        "Threading",
                    ]),
                .testTarget(
                    name: "MediaPlayerTests",
                    dependencies: ["MediaPlayer", "BusObjects", "SessionBus", "BusRig", "TestSupport"]),
                // Written as an iOS developer would: no upcoming features, only the re-exporting modules.
                .testTarget(
                    name: "PortingTests",
                    dependencies: [
                        "OpenAudioSession", "OpenAVFAudio", "OpenAVFoundation", "AVFAudio", "AVFoundation",
                        "AudioToolbox",
                        "CoreAudio", "CoreAudioTypes", "MediaToolbox",
                        "AudioDeviceSelection", "OpenAVFAudioTestKit",
                    ],
                    swiftSettings: [.treatAllWarnings(as: .error)]),
                // Code of apps in the Swift 5 language mode, and the doubles of their tests. What is no error there, and a warning with
                // Apple's SDK too, stays a warning: the use of a main actor's members in a handler.
                .testTarget(
                    name: "PortingSwift5Tests",
                    dependencies: ["AVFAudio", "AVFoundation", "AudioToolbox", "MediaPlayer", "OpenAVFAudioTestKit"],
                    swiftSettings: [
                        .swiftLanguageMode(.v5), .treatAllWarnings(as: .error),
                        .treatWarning("ActorIsolatedCall", as: .warning),
                    ]),
            ]),
        room(
            "Tests/Extras",
            [
                .testTarget(
                    name: "AudioDeviceSelectionTests",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "OpenAudioSession", "OpenAVFAudio", "AudioDeviceSelection", "HostSimulated",
                        "SimulatedControls",
                        "AudioModel",
                    ]),
                .testTarget(
                    name: "OpenLV2Tests",
                    dependencies: [
                        "OpenLV2", "EngineCore", "EffectCore", "AudioModel", "CLilv", "CRealtime", "TestAudio",
                        "TestSupport",
                    ]),
            ]),
        room(
            "Tests/Scenes",
            [
                .target(name: "SceneTestSupport", dependencies: ["SceneCore", "TestSupport"]),
                .testTarget(name: "SceneCoreTests", dependencies: ["SceneCore", "SceneTestSupport", "TestSupport"]),
                .testTarget(
                    name: "SceneRuntimeTests",
                    dependencies: [
                        "AudioRuntime", "OpenAudioSession", "OpenAVFAudio", "SceneRuntime", "SceneCore",
                        "SessionCore", "AudioModel", "TestAudio",
                        "RuntimeTestSupport", "SceneTestSupport", "TestSupport", "OpenAVFAudioTestKit",
                    ]),
            ]),
        room(
            "Tests/Tool",
            [
                .testTarget(
                    name: "GuardCoreTests", dependencies: ["GuardCore", "AudioModel", "TestSupport"]),
                .testTarget(
                    name: "GuardRuntimeTests",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "GuardRuntime", "GuardCore", "AudioModel", "HostPipeWire",
                        "HostDiagnosis", "HostSimulated", "SimulatedControls",
                        "RuntimeTestSupport", "SceneCore", "TestSupport", "BusObjects", "SessionBus", "BusRig",
                        "TestAudio",
                    ]),
                .testTarget(
                    name: "AudiosessionTests",
                    dependencies: [
                        "SessionRest", "SessionRuntime", "AudioRuntime", "QueueCore", "QueueRuntime", "ProgramRuntime",
                        "OpenAudioSession", "audiosession", "AudioDeviceSelection", "OpenLV2", "GuardRuntime",
                        "GuardCore", "SessionCore", "AudioModel", "AudioFiles", "EventSchema", "HostSimulated",
                        "SimulatedControls", "TestAudio", "TestSupport", "Threading",
                    ]),
                // `audiosession` as a child process; the dependency is there so that it is built.
                .testTarget(
                    name: "AudiosessionEndToEndTests",
                    dependencies: [
                        "audiosession", "BusObjects", "BusRig", "SessionBus", "PipeWireRig", "TestAudio", "TestSupport",
                        "AudioFiles",
                        "EventSchema", "CToolRun", "SceneCore",
                    ]),
                .testTarget(
                    name: "PortAudioSessionTests", dependencies: ["port-audio-session"]),
            ]),
        room(
            "Tests/Support",
            [
                .target(name: "TestSupport"),
                .target(
                    name: "TestAudio", dependencies: ["AudioFiles", "MediaTags", "AudioModel", "CSndfile"],
                    // It makes minutes of signals in debug builds. No product contains it, so no dependent sees the flag.
                    swiftSettings: strict + [.unsafeFlags(["-O"])]),
                .target(
                    name: "RuntimeTestSupport",
                    dependencies: [
                        "SessionRest",
                        "SessionRuntime", "AudioRuntime", "AudioFiles", "AudioModel", "CRealtime", "HostInterface",
                        "HostSimulated", "SimulatedControls",
                        "RenderBench", "SceneCore", "SessionCore", "TestAudio", "TestSupport",
                    ]),
                .target(
                    name: "BusRig", dependencies: ["BusObjects", "SessionBus", "TestSupport", "CToolRun"]),
                pipeWireTarget("CRig", path: "Tests/Support/CRig"),
                .target(name: "CToolRun"),
                .target(name: "CMockLogin"),
                .target(name: "PipeWireRig", dependencies: ["CRig"]),
                .testTarget(name: "PipeWireRigTests", dependencies: ["PipeWireRig", "CRig"]),
                .target(name: "RenderBench", dependencies: ["CRealtime"]),
                .target(name: "EventSchema"),
            ]),
        [
            .plugin(
                name: "PortAudioSession",
                capability: .command(
                    intent: .custom(
                        verb: "port-audio-session",
                        description: "Shows or makes the changes that iOS audio code needs on Linux"),
                    permissions: [
                        .writeToPackageDirectory(reason: "with --write, changes the Swift files that are named")
                    ]),
                dependencies: ["port-audio-session"]),
            // The example, which is a package of its own too (Examples/DevicePicker/Package.swift).
            .executableTarget(
                name: "DevicePicker", dependencies: ["AVFAudio", "AudioDeviceSelection", "OpenAVFAudioTestKit"],
                path: "Examples/DevicePicker/Sources/DevicePicker"),
            // The example of docs/testing-on-ci.md, which is a package of its own too (Examples/MusicApp/Package.swift).
            .target(name: "MusicApp", dependencies: ["AVFAudio"], path: "Examples/MusicApp/Sources/MusicApp"),
            .testTarget(
                name: "MusicAppTests", dependencies: ["MusicApp", "OpenAVFAudioTestKit"],
                path: "Examples/MusicApp/Tests/MusicAppTests", exclude: ["Scenes"]),
            // Development tools
            .executableTarget(
                name: "make-sample",
                dependencies: [
                    "AudioFiles", "ProgramRuntime", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                ],
                path: "dev/parts/make-sample",
                swiftSettings: strict),
            .executableTarget(
                name: "check-files",
                dependencies: [
                    "OpenAVFAudio", "OpenAVFoundation", "ProgramRuntime", "AudioFiles", "AudioModel", "CoreMedia",
                    "TestAudio", "TestSupport",
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                ],
                path: "dev/parts/check-files",
                swiftSettings: strict),
            .executableTarget(
                name: "echo-loss", dependencies: ["EngineCore", "HostPipeWire", "RenderBench", "TestSupport"],
                path: "dev/parts/echo-loss",
                swiftSettings: strict),
            .executableTarget(
                name: "soak",
                dependencies: [
                    "OpenAudioSession", "OpenAVFAudio", "OpenAVFoundation", "AudioDeviceSelection", "CoreMedia",
                    "PipeWireRig", "TestAudio", "TestSupport",
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                ],
                path: "dev/parts/soak",
                swiftSettings: strict),
            // Benchmarks
            pipeWireTarget("CPeer", path: "Benchmarks/CPeer"),
            .executableTarget(
                name: "benchmarks",
                dependencies: [
                    "SessionRest",
                    "SessionRuntime", "AudioRuntime", "OpenAudioSession", "OpenAVFAudio", "OpenAVFoundation",
                    "AudioFiles", "CoreMedia", "HostDiagnosis", "HostInterface", "HostPipeWire",
                    "SessionCore", "EngineCore", "EffectCore", "AudioModel", "CRealtime", "CPeer", "PipeWireRig",
                    "TestAudio", "SceneCore", "SceneRuntime", "SceneTestSupport",
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                ],
                path: "Benchmarks/Runner",
                swiftSettings: strict),
        ],
    ].flatMap { $0 },
    swiftLanguageModes: [.v6]
)

// Only the program and the tools of development parse command lines: an app's build resolves no package but this one. SwiftPM reads
// the manifest of a dependency first without a folder, and then in its folder of checkouts
// (docs/decisions/0110-what-an-apps-build-fetches.md).
let folder = Context.packageDirectory
let isThere = FileManager.default.fileExists(atPath: "\(folder)/Package.swift")
let isCheckout =
    folder.contains("/checkouts/") && FileManager.default.fileExists(atPath: "\(folder)/../../repositories")
if !isThere || isCheckout {
    package.dependencies = []
    package.products.removeAll { $0.name == "audiosession" }
    package.targets.removeAll { target in
        target.type == .test || target.dependencies.contains { if case .productItem = $0 { true } else { false } }
    }
}

// dev/fuzz builds this with libFuzzer, which has the main function.
if Context.environment["OAV_FUZZ_LANE"] == "1" {
    let server = pipeWireTarget("CFuzzServer", dependencies: ["CPipeWireShims"], path: "Fuzzing/CServer")
    server.cSettings = (server.cSettings ?? []) + [.headerSearchPath("../../Sources/C/CPipeWireShims")]
    package.targets.append(server)
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "AudioModel", "SessionCore", "TransportCore", "HostDiagnosis", "HostPipeWire", "AudioFiles",
                "MediaStreams",
                "SessionRuntime", "SceneCore", "TestSupport", "CPipeWireShims", "CFuzzServer", "CRealtime",
                "EngineCore", "RenderBench",
                "GuardCore", "GuardRuntime", "OpenSpeech",
            ],
            path: "Fuzzing", exclude: ["Corpus", "CServer"],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]))
}

// dev/make release: what plays no sound is compiled for size, which saves 1 MB of 25. C code checks the sizes of buffers.
if Context.environment["OAV_SMALL"] == "1" {
    let sounding = ["RenderCore", "EngineCore", "EffectCore", "AudioFiles"]
    for target in package.targets where target.type == .regular || target.type == .executable {
        if target.path?.hasPrefix("Sources/C/") == true {
            target.cSettings = (target.cSettings ?? []) + [.define("_FORTIFY_SOURCE", to: "2")]
        }
        guard !sounding.contains(target.name), !target.name.hasPrefix("C") else { continue }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
    }
}
