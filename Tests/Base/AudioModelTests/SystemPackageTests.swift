import AudioModel
import Testing

@Suite struct SystemPackageTests {
    @Test(arguments: [
        ("ID=debian\nVERSION_ID=\"12\"\n", "apt install ffmpeg libsoundtouch1"),
        ("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt install ffmpeg libsoundtouch1"),
        ("ID=fedora\n", "dnf install ffmpeg-free soundtouch"), ("ID=arch\n", "pacman -S ffmpeg soundtouch"),
        ("ID=endeavouros\nID_LIKE='arch'\n", "pacman -S ffmpeg soundtouch"),
        ("ID=nixos\n", "install ffmpeg soundtouch with the package manager of this system"),
        ("", "install ffmpeg soundtouch with the package manager of this system"),
    ])
    func installCommand_isThatOfTheSystem(osRelease: String, command: String) {
        #expect(SystemPackage.installCommand([.ffmpeg, .soundTouch], osRelease: osRelease) == command)
    }

    @Test func installCommand_withoutOSRelease_namesNoPackageManager() {
        #expect(
            SystemPackage.installCommand([.pipeWire, .wirePlumber], osRelease: nil)
                == "install pipewire wireplumber with the package manager of this system")
    }
}
