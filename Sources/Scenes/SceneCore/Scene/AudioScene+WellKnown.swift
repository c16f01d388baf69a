extension AudioScene {
    /// Scenes of real bugs, each with a link to a public report of one: a suite for the sound of any app.
    ///
    ///     @Test(arguments: AudioScene.wellKnown) func everyKnownBug(_ scene: AudioScene) async throws { … }
    ///
    /// In each of them the app's user presses play at the beginning.
    public static let wellKnown: [AudioScene] = wellKnownTexts.map { name, text in
        do {
            return try AudioScene(text: "scene 1\n" + text)
        } catch {
            preconditionFailure("the scene \(name) is no scene: \(error)")
        }
    }

    /// The names of ``wellKnown``, in the same order.
    public static let wellKnownNames: [String] = wellKnownTexts.map(\.key)

    /// The scene with this name; nil if there is none.
    public static func wellKnown(_ name: String) -> AudioScene? {
        wellKnownNames.firstIndex(of: name).map { wellKnown[$0] }
    }

    private static let wellKnownTexts: KeyValuePairs = [
        "headphones-leave": """
        title "The headphones leave, and the room must not hear the music"
        link https://github.com/naman14/Timber/issues/30
        plugged headphones
        at 0s player plays
        expect headphones heard from 500ms to 2s
        at 2s unplug headphones
        expect player paused within 50ms
        expect route change oldDeviceUnavailable within 50ms
        at 3.5s plug headphones
        expect player paused from 3.5s to 5s
        expect everything silent from 2.05s to 5s
        at 5s player plays
        expect headphones heard within 100ms
        at 7s player pauses
        expect speaker silent from 0s to 7s
        at 7.2s end
        """,
        "usb-headphones-leave": """
        title "Headphones with a card of their own leave"
        link https://github.com/ubports/ubuntu-touch/issues/1815
        plugged usb-headphones
        at 0s player plays
        at 2s unplug usb-headphones
        expect player paused within 50ms
        expect speaker silent from 0s to 5s
        at 5s end
        """,
        "jack-leaves": """
        title "Headphones leave the jack of a card whose speaker is the same sink"
        link https://github.com/thesofproject/linux/issues/2126
        machine laptop
        plugged jack-headphones
        at 0s player plays
        expect jack-headphones heard from 500ms to 2s
        at 2s unplug jack-headphones
        expect player paused within 50ms
        expect internal-speaker silent from 0s to 5s
        at 5s end
        """,
        "headphones-leave-while-opening": """
        title "The headphones leave while the server of the next song is slow, and the room must not hear that song"
        link https://github.com/daneren2005/Subsonic/issues/963
        plugged headphones
        at 0s item takes 2s to open
        at 0s player plays
        expect headphones heard from 2.1s to 2.3s
        at 2.4s player seeks to 10.9s
        at 3.5s unplug headphones
        expect route change oldDeviceUnavailable within 50ms
        expect speaker silent from 0s to 8s
        at 8s end
        """,
        "late-deactivation": """
        title "Play is pressed while the session is still being deactivated for the pause before, and the music goes on"
        link https://github.com/rudrankriyam/Foundation-Models-Framework-Lab/pull/152
        at 0s player plays
        at 2s activation takes 3s
        at 3s player pauses
        at 3.5s player plays
        at 6s test looks
        at 9.5s test looks
        expect player playing from 10s to 11s
        expect everything heard from 10s to 11s
        at 11s end
        """,
        "headphones-come-while-paused": """
        title "Headphones are plugged in while the music is paused, and nothing starts by itself"
        link https://github.com/vanilla-music/vanilla-headphone-detector/issues/15
        at 0s player plays
        at 1s player pauses
        at 2s plug headphones
        expect everything silent from 1.1s to 5s
        at 5s end
        """,
        "headphones-come": """
        title "Headphones are plugged in while music plays, and it goes on there"
        link https://github.com/music-assistant/mobile-app/issues/343
        at 0s player plays
        at 2s plug headphones
        expect headphones heard within 100ms
        expect player playing from 2.1s to 4s
        expect speaker silent from 2.1s to 4s
        at 4s unplug headphones
        expect player paused within 50ms
        expect speaker silent from 4s to 6s
        at 6s end
        """,
        "call": """
        title "A call comes, ends, and the music goes on"
        link https://github.com/AudioKit/AudioKit/issues/1403
        at 0s player plays
        at 2s call begins
        expect interruption begins within 50ms
        expect everything silent from 2.05s to 4s
        at 4s call ends, may resume
        expect interruption ends, may resume within 50ms
        expect player playing within 500ms
        expect everything heard from 4.5s to 6s
        at 6s end
        """,
        "call-ends-without-resume": """
        title "A call ends without the advice to resume, and only the user starts the music"
        link https://github.com/noreasonprojects/ModernAVPlayer/issues/174
        at 0s player plays
        at 2s call begins
        at 4s call ends, must not resume
        expect interruption ends, must not resume within 50ms
        expect everything silent from 2.05s to 6s
        at 6s player plays
        expect player playing within 100ms
        at 7s end
        """,
        "two-calls": """
        title "The session is active again after a call, and after a second one when its user presses play"
        link https://github.com/harflabs/SwiftVLC/pull/130
        at 0s player plays
        expect session active within 100ms
        at 2s call begins
        at 4s call ends, may resume
        expect session active within 500ms
        at 6s call begins
        at 7s call ends, must not resume
        expect session inactive from 7.1s to 8s
        at 8s player plays
        expect session active from 8.1s to 10s
        at 10s end
        """,
        "call-while-paused": """
        title "The music was paused before the call, and does not start after it"
        link https://github.com/delannoyk/AudioPlayer/issues/66
        at 0s player plays
        at 1s player pauses
        at 2s call begins
        at 4s call ends, may resume
        expect everything silent from 1.1s to 7s
        at 7s end
        """,
        "short-interruption": """
        title "An assistant takes the sound for a moment, and the music comes back"
        link https://github.com/kingslay/KSPlayer/issues/329
        at 0s player plays
        at 2s call begins
        at 2.2s call ends, may resume
        expect player playing within 500ms
        at 3s call begins
        at 3.2s call ends, may resume
        expect player playing within 500ms
        expect everything heard from 3.7s to 5s
        at 5s end
        """,
        "ended-never-comes": """
        title "Another app keeps the sound, and the user takes it back"
        link https://github.com/tumtumtum/StreamingKit/issues/339
        at 0s player plays
        at 2s app Video takes audio for playback
        expect interruption begins within 50ms
        expect no end of interruption
        expect everything silent from 2.05s to 5s
        at 5s player plays
        expect player playing within 100ms
        at 7s end
        """,
        "takeover": """
        title "Another app takes the sound and is killed: the music stays silent until its user plays it"
        link https://github.com/ryanheise/audio_service/issues/403
        plugged headphones
        at 0s player plays
        at 2s app Video takes audio for playback
        at 4s app Video is killed
        expect interruption ends, must not resume within 50ms
        expect everything silent from 2.05s to 5s
        at 5s player plays
        expect everything heard from 5.1s to 7s
        at 7s end
        """,
        "takeover-returns": """
        title "Another app takes the sound and gives it back"
        link https://github.com/brave/brave-ios/pull/4238
        at 0s player plays
        at 2s app Video takes audio for playback
        at 4s app Video leaves, others may resume
        expect player playing within 500ms
        expect everything silent from 2.05s to 4s
        at 6s end
        """,
        "headphones-leave-during-call": """
        title "The headphones leave during a call, and the music must not come from the speaker after it"
        link https://github.com/perminder-klair/subwave/pull/1003
        plugged headphones
        at 0s player plays
        at 2s call begins
        at 3s unplug headphones
        at 4s call ends, may resume
        expect speaker silent from 0s to 7s
        at 7s end
        """,
        "media-services-reset": """
        title "The sound server dies, and the app makes everything again"
        link https://github.com/AudioKit/AudioKit/issues/1474
        plugged headphones
        at 0s player plays
        at 2s server crashes
        expect media services lost within 50ms
        expect everything silent from 2.05s to 5s
        at 3s server returns
        expect media services reset within 50ms
        at 5s player plays
        expect everything heard from 5.2s to 7s
        at 7s end
        """,
        "media-services-reset-while-paused": """
        title "The sound server dies while the music is paused in the background"
        link https://github.com/TortugaPower/BookPlayer/issues/914
        at 0s player plays
        at 1s player pauses
        at 2s server crashes
        at 3s server returns
        expect media services reset within 50ms
        expect everything silent from 1.1s to 5s
        at 5s player plays
        expect player playing within 200ms
        at 7s end
        """,
        "category-change": """
        title "A change of the category is no unplug"
        link https://github.com/ryanheise/audio_session/pull/5
        at 0s player plays
        at 2s session is set to playback in spokenAudio
        expect no route change oldDeviceUnavailable
        expect player playing from 2.1s to 4s
        expect speaker heard from 2.1s to 4s
        at 4s end
        """,
        "format-change": """
        title "The hardware changes its rate, and the music goes on"
        link https://github.com/FrigadeHQ/yap/pull/29
        plugged usb-interface
        at 0s player plays
        at 2s rate usb-interface 192000Hz
        at 3s rate usb-interface 16000Hz
        expect player playing from 2s to 5s
        expect usb-interface heard from 2s to 5s
        at 5s end
        """,
        "hands-free-format": """
        title "A headset switches to the format of calls"
        link https://github.com/mmaudet/visio-mobile/pull/27
        plugged bluetooth-headset
        at 0s player plays
        at 2s session is set to playAndRecord in voiceChat with allowBluetoothHFP
        at 3s profile bluetooth-headset call
        at 4s profile bluetooth-headset music
        expect speaker silent from 0s to 5s
        at 5s session is set to playback
        expect speaker silent from 5s to 7s
        at 7s end
        """,
        "bluetooth-flaps": """
        title "A headset connects and disconnects twenty times"
        link https://github.com/blueman-project/blueman/issues/2629
        plugged bluetooth-headphones
        at 0s player plays
        at 2s flap bluetooth-headphones 20 times in 2s
        expect player paused within 100ms
        expect speaker silent from 0s to 6s
        at 6s end
        """,
        "hdmi-takes-over": """
        title "A monitor is plugged in and becomes the default, and leaves"
        link https://github.com/Dasharo/dasharo-issues/issues/201
        machine desktop
        at 0s player plays
        at 2s plug hdmi
        expect route hdmi within 50ms
        expect player playing from 2.1s to 4s
        at 4s unplug hdmi
        expect player paused within 50ms
        expect line-out silent from 4s to 6s
        at 6s end
        """,
        "default-moves-to-hdmi-and-back": """
        title "The default output moves to a monitor and back without an unplug, and the music goes on"
        link https://github.com/linuxmint/cinnamon-desktop/issues/131
        plugged hdmi
        at 0s default output speaker
        at 0s player plays
        at 2s default output hdmi
        expect hdmi heard within 100ms
        expect player playing from 2.1s to 4s
        at 4s default output speaker
        expect speaker heard within 100ms
        expect player playing from 4.1s to 6s
        at 6s end
        """,
        "notification": """
        title "A notification makes the music quieter, and it is as loud as before after that"
        link https://github.com/bluez/bluez/issues/554
        at 0s player plays
        at 2s notification for 1s
        expect player playing from 0s to 5s
        expect everything heard from 2s to 3s
        expect everything heard from 3.1s to 5s
        at 5s end
        """,
        "sleep": """
        title "The machine sleeps and wakes"
        link https://github.com/lionheart/openradar-mirror/issues/5609
        at 0s player plays
        at 2s machine sleeps
        expect interruption begins within 50ms
        expect everything silent from 2.2s to 60s
        at 60s machine wakes
        expect interruption ends within 50ms
        at 62s end
        """,
    ]
}
