import EngineCore

/// The LV2 plug-ins that are installed on this machine.
///
/// An app has them only if it names the product `OpenLV2` and calls ``register()``. They need `liblilv-0-0` when the app runs, and
/// nothing when it is built.
///
/// Source: ours (decision 81).
public enum LV2Plugins {
    /// Makes the installed plug-ins audio units of this program: `AVAudioUnitComponentManager` lists them, and
    /// `AVAudioUnitEffect`, `AVAudioUnit.instantiate` and `AUAudioUnit` make them.
    ///
    /// Call it before the first use of `AVAudioUnitComponentManager`: a list that was asked for earlier has no plug-ins. Another
    /// call changes nothing. The call reads no files: the descriptions of plug-ins are read when units are listed, and the code of
    /// a plug-in when it is made. Without `liblilv-0-0` no plug-ins are listed.
    ///
    /// Any thread.
    public static func register() { UnitProviders.register(PluginLibrary.shared) }
}
