// swift-tools-version: 6.2
import PackageDescription

// A program of its own, as yours would be; in yours the path is the repository's address.
let package = Package(
    name: "DevicePicker",
    dependencies: [.package(name: "open-avfaudio", path: "../..")],
    targets: [
        .executableTarget(
            name: "DevicePicker",
            dependencies: [
                .product(name: "AVFAudio", package: "open-avfaudio"),
                // For `--short` and for the machine that is simulated where there is no sound server.
                .product(name: "AudioDeviceSelection", package: "open-avfaudio"),
                .product(name: "OpenAVFAudioTestKit", package: "open-avfaudio"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
