// swift-tools-version: 6.2
import PackageDescription

// Publishers of an iOS app on Linux: OpenCombine in place of Combine.
let package = Package(
    name: "Combine",
    dependencies: [
        .package(name: "open-avfaudio", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(
            name: "CombineRecipe",
            dependencies: [
                .product(name: "AVFoundation", package: "open-avfaudio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ]),
        .testTarget(
            name: "CombineRecipeTests",
            dependencies: [
                "CombineRecipe", .product(name: "OpenAVFAudioTestKit", package: "open-avfaudio"),
            ]),
    ],
    swiftLanguageModes: [.v5]
)
