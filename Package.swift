// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Layers, bottom up; a module imports only from layers below its own (dev/checks/purity enforces it).
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

/// A C target that calls libpipewire.
func pipeWireTarget(
    _ name: String, dependencies: [Target.Dependency] = [], path: String, cSettings: [CSetting] = []
) -> Target {
    .target(
        name: name, dependencies: ["CPipeWire"] + dependencies, path: path,
        cSettings: cSettings + (usualPipeWire ? [.headerSearchPath("../../Sources/CPipeWire/usual")] : []),
        linkerSettings: usualPipeWire ? [.linkedLibrary("pipewire-0.3")] : [])
}

let package = Package(
    name: "open-avfaudio",
    products: [
        .library(name: "OpenAVFAudio", targets: ["OpenAVFAudio"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "CoreAudio", targets: ["CoreAudio"]),
        .library(name: "CoreAudioTypes", targets: ["CoreAudioTypes"]),
        .library(name: "MediaToolbox", targets: ["MediaToolbox"]),
        .library(name: "AudioDeviceSelection", targets: ["AudioDeviceSelection"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "OpenAVFAudioTestKit", targets: ["OpenAVFAudioTestKit"]),
        .executable(name: "audiosession", targets: ["audiosession"]),
        .plugin(name: "PortAudioSession", targets: ["PortAudioSession"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        // Layer 1
        .target(name: "CRealtime", linkerSettings: [.linkedLibrary("m")]),
        .target(name: "CAudioTypes"),
        .systemLibrary(
            name: "CPipeWire", pkgConfig: pkgConfigOfPipeWire, providers: [.apt(["libpipewire-0.3-dev"])]),
        .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        // Loads SoundTouch at run time; needs its headers.
        .target(name: "CTimePitch"),
        // Loads libmysofa at run time, and needs no header of it.
        .target(name: "CSofa"),
        pipeWireTarget("CPipeWireShims", dependencies: ["CRealtime"], path: "Sources/CPipeWireShims"),
        // The sinks of a guard, on the host of CPipeWireShims.
        pipeWireTarget(
            "CPipeWireGuardShims", dependencies: ["CPipeWireShims"], path: "Sources/CPipeWireGuardShims",
            cSettings: [.headerSearchPath("../CPipeWireShims")]),
        // Loads libsystemd at run time, and needs no header of it.
        .target(name: "CSdBus"),
        // Loads lilv at run time, and needs no header of it.
        .target(name: "CLilv", dependencies: ["CRealtime"]),
        // Loads FFmpeg's libraries at run time, of any major version from 59 on, and needs no header of them.
        .target(name: "CLibav"),
        .target(name: "AudioModel", swiftSettings: strict),
        .target(name: "CoreMedia", swiftSettings: strict),
        // Waiting for other threads, and queues between them.
        .target(name: "Threading", swiftSettings: strict),
        // Layer 2
        .target(name: "HostInterface", dependencies: ["AudioModel", "CRealtime"], swiftSettings: strict),
        .target(name: "SessionCore", dependencies: ["AudioModel"], swiftSettings: strict),
        .target(name: "TransportCore", dependencies: ["AudioModel"], swiftSettings: strict),
        .target(name: "GuardCore", dependencies: ["AudioModel"], swiftSettings: strict),
        .target(name: "SceneCore", dependencies: ["AudioModel"], swiftSettings: strict),
        .target(name: "RenderCore", dependencies: ["CRealtime"], swiftSettings: strict),
        .target(name: "EffectCore", dependencies: ["CRealtime"], swiftSettings: strict),
        .target(name: "SessionBus", dependencies: ["AudioModel", "CSdBus", "Threading"], swiftSettings: strict),
        // Layer 3
        .target(
            name: "SleepWatch", dependencies: ["AudioModel", "HostInterface", "SessionBus", "Threading"],
            swiftSettings: strict),
        .target(
            name: "HostPipeWire",
            dependencies: [
                "HostInterface", "AudioModel", "CRealtime", "CPipeWireShims", "Threading",
            ],
            exclude: ["PipeWireTier.md"],
            swiftSettings: strict),
        .target(
            name: "HostSimulated", dependencies: ["HostInterface", "AudioModel", "Threading", "CRealtime"],
            swiftSettings: strict),
        .target(
            name: "EngineCore", dependencies: ["RenderCore", "EffectCore", "AudioModel", "CRealtime", "Threading"],
            swiftSettings: strict),
        .target(
            name: "AudioFiles",
            dependencies: ["AudioModel", "Threading", "CSndfile", "CSoxr", "CLibav"],
            swiftSettings: strict),
        // Layer 4
        .target(
            name: "AudioRuntime",
            dependencies: [
                "AudioModel", "HostInterface", "SessionCore", "TransportCore", "RenderCore", "HostPipeWire",
                "HostSimulated", "EngineCore", "EffectCore", "AudioFiles", "Threading", "CRealtime", "CTimePitch",
                "CLilv", "CSofa", "SleepWatch",
            ],
            swiftSettings: strict),
        .target(
            name: "GuardRuntime",
            dependencies: [
                "AudioModel", "SessionCore", "GuardCore", "HostPipeWire", "SessionBus", "Threading", "CPipeWireShims",
                "CPipeWireGuardShims", "SceneCore",
            ],
            swiftSettings: strict),
        // Layer 5
        .target(
            name: "OpenAVFAudio",
            dependencies: [
                "AudioRuntime", "AudioModel", "HostInterface", "SessionCore", "TransportCore", "RenderCore",
                "EngineCore", "EffectCore", "AudioFiles", "CRealtime", "CAudioTypes", "CoreMedia", "SessionBus",
                "Threading",
            ],
            swiftSettings: strict),
        .target(
            name: "SceneRuntime",
            dependencies: [
                "SceneCore", "AudioRuntime", "HostSimulated", "HostInterface", "SessionCore", "TransportCore",
                "AudioModel", "AudioFiles",
            ],
            swiftSettings: strict),
        // Layer 6
        .target(name: "AVFAudio", dependencies: ["OpenAVFAudio"], swiftSettings: strict),
        .target(name: "AVFoundation", dependencies: ["OpenAVFAudio", "CoreMedia"], swiftSettings: strict),
        .target(name: "CoreAudio", dependencies: ["OpenAVFAudio", "CAudioTypes"], swiftSettings: strict),
        .target(name: "CoreAudioTypes", dependencies: ["CoreAudio"], swiftSettings: strict),
        .target(name: "MediaToolbox", dependencies: ["OpenAVFAudio", "CoreMedia"], swiftSettings: strict),
        .target(name: "AudioToolbox", dependencies: ["OpenAVFAudio", "CoreAudio"], swiftSettings: strict),
        .target(
            name: "AudioDeviceSelection",
            dependencies: ["OpenAVFAudio", "AudioRuntime", "SessionCore", "AudioModel"],
            swiftSettings: strict),
        // Apple's names for the desktop's media controls.
        .target(
            name: "MediaPlayer", dependencies: ["AVFoundation", "SessionBus", "AudioModel", "Threading"],
            swiftSettings: strict),
        .target(
            name: "OpenAVFAudioTestKit",
            dependencies: [
                "OpenAVFAudio", "AudioRuntime", "HostSimulated", "HostInterface", "AudioModel", "Threading",
                "SceneCore",
                "SceneRuntime",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "audiosession",
            dependencies: [
                "OpenAVFAudio", "AudioDeviceSelection", "AudioRuntime", "GuardRuntime", "MediaPlayer", "Threading",
                "SceneCore", "SceneRuntime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // `swift package port-audio-session`
        .executableTarget(name: "port-audio-session", swiftSettings: strict),
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
            dependencies: ["AudioFiles", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "dev/parts/make-sample",
            swiftSettings: strict),
        .executableTarget(
            name: "check-files",
            dependencies: [
                "AudioFiles", "AudioModel", "CoreMedia", "OpenAVFAudio", "TestAudio", "TestSupport",
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
                "OpenAVFAudio", "AudioDeviceSelection", "CoreMedia", "PipeWireRig", "TestAudio", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "dev/parts/soak",
            swiftSettings: strict),
        // Test support
        pipeWireTarget("CRig", path: "Tests/CRig"),
        .target(name: "PipeWireRig", dependencies: ["CRig"], path: "Tests/PipeWireRig", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "TestAudio", dependencies: ["AudioFiles", "AudioModel", "CSndfile"], path: "Tests/TestAudio",
            swiftSettings: strict),
        .target(
            name: "RuntimeTestSupport",
            dependencies: [
                "AudioRuntime", "AudioFiles", "AudioModel", "CRealtime", "HostInterface", "HostSimulated",
                "RenderBench", "SceneCore", "SessionCore", "TestAudio", "TestSupport",
            ],
            path: "Tests/RuntimeTestSupport",
            swiftSettings: strict),
        .target(
            name: "BusRig", dependencies: ["SessionBus", "TestSupport", "CToolRun"], path: "Tests/BusRig",
            swiftSettings: strict),
        .target(name: "CToolRun", path: "Tests/CToolRun"),
        .target(name: "CMockLogin", path: "Tests/CMockLogin"),
        .target(name: "EventSchema", path: "Tests/EventSchema", swiftSettings: strict),
        .target(name: "RenderBench", dependencies: ["CRealtime"], path: "Tests/RenderBench", swiftSettings: strict),
        // Benchmarks
        pipeWireTarget("CPeer", path: "Benchmarks/CPeer"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "OpenAVFAudio", "AudioFiles", "AudioRuntime", "CoreMedia", "HostInterface", "HostPipeWire",
                "SessionCore", "EngineCore", "EffectCore", "AudioModel", "CRealtime", "CPeer", "PipeWireRig",
                "TestAudio", "SceneCore", "SceneRuntime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks/Runner",
            swiftSettings: strict),
        // Tests
        .testTarget(name: "AudioModelTests", dependencies: ["AudioModel"], swiftSettings: strict),
        .testTarget(name: "CoreMediaTests", dependencies: ["CoreMedia"], swiftSettings: strict),
        .testTarget(
            name: "SessionCoreTests", dependencies: ["SessionCore", "AudioModel", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "TransportCoreTests", dependencies: ["TransportCore", "AudioModel", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "GuardCoreTests", dependencies: ["GuardCore", "AudioModel", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "SceneCoreTests", dependencies: ["SceneCore", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RenderCoreTests", dependencies: ["RenderCore", "CRealtime", "RenderBench", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EngineCoreTests",
            dependencies: ["EngineCore", "RenderCore", "AudioModel", "CRealtime", "RenderBench", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EffectCoreTests", dependencies: ["EffectCore", "CRealtime", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "RealtimeGuardTests", swiftSettings: strict),
        .testTarget(
            name: "AudioFilesTests",
            dependencies: ["AudioFiles", "AudioModel", "TestAudio", "TestSupport", "make-sample"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionBusTests", dependencies: ["SessionBus", "BusRig"], swiftSettings: strict),
        .testTarget(
            name: "HostSimulatedTests",
            dependencies: ["HostSimulated", "HostInterface", "AudioModel", "Threading", "CRealtime", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HostPipeWireTests",
            dependencies: [
                "HostPipeWire", "HostInterface", "CPipeWireShims", "AudioModel", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(name: "SleepWatchTests", dependencies: ["SleepWatch", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "HostPipeWireServerTests",
            dependencies: [
                "HostPipeWire", "HostInterface", "AudioModel", "CRealtime", "PipeWireRig", "CMockLogin", "TestSupport",
                "GuardCore", "GuardRuntime", "SessionBus", "SleepWatch", "BusRig",
            ],
            swiftSettings: strict),
        .testTarget(name: "PipeWireRigTests", dependencies: ["PipeWireRig", "CRig"], swiftSettings: strict),
        .testTarget(
            name: "HostContractTests",
            dependencies: [
                "OpenAVFAudio", "AudioRuntime", "HostPipeWire", "HostSimulated", "HostInterface", "SessionCore",
                "AudioModel", "PipeWireRig", "TestAudio", "TestSupport", "EngineCore", "CRealtime",
                "AudioFiles", "AudioDeviceSelection", "CoreMedia", "GuardRuntime", "RuntimeTestSupport",
                "Threading", "SceneCore", "SceneRuntime", "BusRig",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AudioRuntimeTests",
            dependencies: [
                "AudioRuntime", "AudioFiles", "AudioModel", "CLilv", "CRealtime", "EffectCore", "EngineCore",
                "HostInterface", "HostPipeWire", "HostSimulated", "RenderBench", "RuntimeTestSupport", "SessionCore",
                "TestAudio", "SceneCore", "SceneRuntime",
                "TestSupport", "Threading",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GuardRuntimeTests",
            dependencies: [
                "GuardRuntime", "GuardCore", "AudioRuntime", "AudioModel", "HostPipeWire", "HostSimulated",
                "RuntimeTestSupport", "SceneCore", "TestSupport", "SessionBus", "BusRig",
                "TestAudio",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SceneRuntimeTests",
            dependencies: [
                "SceneRuntime", "SceneCore", "AudioRuntime", "HostSimulated", "SessionCore", "AudioModel", "TestAudio",
                "RuntimeTestSupport", "TestSupport", "OpenAVFAudioTestKit", "OpenAVFAudio",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OpenAVFAudioTests",
            dependencies: [
                "OpenAVFAudio", "OpenAVFAudioTestKit", "AudioRuntime", "AudioFiles", "AudioModel", "CAudioTypes",
                "CRealtime", "RenderCore", "CoreMedia", "HostInterface", "HostSimulated", "RenderBench",
                "RuntimeTestSupport", "SessionCore", "BusRig", "SessionBus", "TestAudio", "TestSupport", "Threading",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AudioDeviceSelectionTests",
            dependencies: ["AudioDeviceSelection", "OpenAVFAudio", "AudioRuntime", "HostSimulated", "AudioModel"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaPlayerTests", dependencies: ["MediaPlayer", "SessionBus", "BusRig", "TestSupport"],
            swiftSettings: strict),
        // Written as an iOS developer would: no upcoming features, only the re-exporting modules.
        .testTarget(
            name: "PortingTests",
            dependencies: [
                "AVFAudio", "AVFoundation", "AudioToolbox", "CoreAudio", "CoreAudioTypes", "MediaToolbox",
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
        .testTarget(
            name: "PortAudioSessionTests", dependencies: ["port-audio-session"], swiftSettings: strict),
        .testTarget(
            name: "AudiosessionTests",
            dependencies: [
                "audiosession", "OpenAVFAudio", "AudioDeviceSelection", "AudioRuntime", "GuardRuntime", "GuardCore",
                "SessionCore", "AudioModel", "AudioFiles", "EventSchema", "HostSimulated", "TestAudio",
            ],
            swiftSettings: strict),
        // `audiosession` as a child process; the dependency is there so that it is built.
        .testTarget(
            name: "AudiosessionEndToEndTests",
            dependencies: [
                "audiosession", "BusRig", "SessionBus", "PipeWireRig", "TestAudio", "TestSupport", "AudioFiles",
                "EventSchema", "CToolRun", "SceneCore",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// dev/test --lane realtime builds with RealtimeSanitizer: only the targets that it can check, and the tests that prove that it
// checks them.
if Context.environment["OAV_REALTIME_LANE"] == "1" {
    let watched = [
        "CRealtime", "AudioModel", "RenderCore", "Threading", "EffectCore", "EngineCore", "RenderBench", "TestSupport",
        "RenderCoreTests", "EffectCoreTests", "EngineCoreTests",
    ]
    package.targets.removeAll { !watched.contains($0.name) }
    package.targets.append(
        .testTarget(name: "RealtimeSanitizerTests", dependencies: ["CRealtime"], swiftSettings: strict))
    package.products = []
    package.dependencies = []
}

// dev/fuzz builds this with libFuzzer, which has the main function.
if Context.environment["OAV_FUZZ_LANE"] == "1" {
    let server = pipeWireTarget("CFuzzServer", dependencies: ["CPipeWireShims"], path: "Fuzzing/CServer")
    server.cSettings = (server.cSettings ?? []) + [.headerSearchPath("../../Sources/CPipeWireShims")]
    package.targets.append(server)
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "AudioModel", "SessionCore", "TransportCore", "HostPipeWire", "AudioFiles", "AudioRuntime",
                "SceneCore", "TestSupport", "CPipeWireShims", "CFuzzServer", "CRealtime", "EngineCore", "RenderBench",
                "GuardCore", "GuardRuntime", "OpenAVFAudio",
            ],
            path: "Fuzzing", exclude: ["Corpus", "CServer"],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]))
}

// dev/make release: what plays no sound is compiled for size, which saves 1 MB of 25.
if Context.environment["OAV_SMALL"] == "1" {
    let sounding = ["RenderCore", "EngineCore", "EffectCore", "AudioFiles"]
    for target in package.targets where target.type == .regular || target.type == .executable {
        guard !sounding.contains(target.name), !target.name.hasPrefix("C") else { continue }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
    }
}
