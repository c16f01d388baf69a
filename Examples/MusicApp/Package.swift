// swift-tools-version: 6.2
import PackageDescription

// An iOS package whose tests run on Linux too; in yours the path is the repository's address.
let onLinux = TargetDependencyCondition.when(platforms: [.linux])
let package = Package(
    name: "MusicApp",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(name: "open-avfaudio", path: "../..")],
    targets: [
        .target(
            name: "MusicApp",
            dependencies: [.product(name: "AVFAudio", package: "open-avfaudio", condition: onLinux)]),
        .testTarget(
            name: "MusicAppTests",
            dependencies: [
                "MusicApp", .product(name: "OpenAVFAudioTestKit", package: "open-avfaudio", condition: onLinux),
            ],
            exclude: ["Scenes"]),
    ]
)
