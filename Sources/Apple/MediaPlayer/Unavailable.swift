public import Foundation

// What Apple's MediaPlayer has and Linux cannot have: a use of it says why and what to do instead.

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaItem: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaItemCollection: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaLibrary: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaPlaylist: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaQuery: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMediaPropertyPredicate: NSObject {}

@available(*, unavailable, message: "there is no music library; play files with AVPlayer")
open class MPMusicPlayerController: NSObject {}

@available(*, unavailable, message: "the volume is the desktop's; show AVAudioSession.outputVolume")
open class MPVolumeView: NSObject {}
