import Foundation

/// The directory in which one private server keeps its sockets, configuration, state and logs.
///
/// WirePlumber remembers routes and volumes from run to run, so each rig gets a fresh one.
struct RigDirectory: Sendable {
    let path: String

    var runtime: String { path + "/run" }
    var socket: String { runtime + "/pipewire-0" }
    var bus: String { runtime + "/bus" }
    var busConfiguration: String { path + "/dbus.conf" }

    /// Makes the directory, under TMPDIR if the sockets' paths then fit into an address (108 bytes), else under /tmp.
    init() throws(RigError) {
        let requested = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let parent = requested.hasPrefix("/") && requested.utf8.count <= 60 ? requested : "/tmp"
        var template = Array((parent + "/oav-rig-XXXXXX").utf8CString)
        guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else {
            throw .failed(operation: "Making a directory in \(parent)", code: -errno)
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        do {
            try writeConfiguration()
        } catch {
            remove()
            throw .failed(operation: "Writing the configuration to \(path) (\(error))", code: -EIO)
        }
    }

    func remove() {
        // Removed on a best effort: what is left is an empty shell in the temporary directory.
        try? FileManager.default.removeItem(atPath: path)
    }

    func log(of daemon: String) -> String { path + "/log/\(daemon).log" }

    /// The end of what a daemon printed.
    func logTail(of daemon: String) -> String {
        let data = FileManager.default.contents(atPath: log(of: daemon)) ?? Data()
        return String(decoding: data.suffix(2000), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What turns a program into a client of this server: to be set over an environment cleared by `inherited`.
    var variables: [String: String] {
        [
            "XDG_RUNTIME_DIR": runtime,
            "PIPEWIRE_RUNTIME_DIR": runtime,
            "XDG_CONFIG_HOME": path + "/config",
            "XDG_STATE_HOME": path + "/state",
            "XDG_CACHE_HOME": path + "/cache",
            "XDG_DATA_HOME": path + "/data",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)",
        ]
    }

    /// The environment of this process without whatever would lead a client to another server or configuration.
    static var inherited: [String: String] {
        let foreign = [
            "PIPEWIRE_", "WIREPLUMBER_", "PULSE_", "DBUS_", "LISTEN_", "NOTIFY_SOCKET", "DISPLAY", "WAYLAND_",
        ]
        return ProcessInfo.processInfo.environment.filter { variable in
            !foreign.contains { variable.key.hasPrefix($0) }
        }
    }

    // MARK: Configuration

    private func writeConfiguration() throws {
        for directory in ["run", "config", "state", "cache", "data", "log"] {
            try FileManager.default.createDirectory(atPath: path + "/" + directory, withIntermediateDirectories: true)
        }
        try write(busXML, to: "dbus.conf")
        // In a virtual machine PipeWire raises the smallest quantum to 1024: taken back, so that quanta are a desktop's.
        try write(
            "context.properties = { vm.overrides = { default.clock.min-quantum = 32 } }",
            to: "config/pipewire/pipewire.conf.d/50-rig.conf")
        // No hardware in a rig. WirePlumber 0.4 reads the Lua files, 0.5 the other one.
        try write(wirePlumberLua, to: "config/wireplumber/main.lua.d/89-rig.lua")
        try write(wirePlumberBluetoothLua, to: "config/wireplumber/bluetooth.lua.d/89-rig.lua")
        try write(wirePlumberConfiguration, to: "config/wireplumber/wireplumber.conf.d/89-rig.conf")
    }

    private func write(_ text: String, to file: String) throws {
        let url = URL(fileURLWithPath: path + "/" + file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: url)
    }

    /// A bus on a known path that starts no services of the machine's desktop.
    private var busXML: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(bus)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }

    private var wirePlumberLua: String {
        """
        alsa_monitor.enabled = false
        v4l2_monitor.enabled = false
        libcamera_monitor.enabled = false
        alsa_monitor.enable = function() end
        v4l2_monitor.enable = function() end
        libcamera_monitor.enable = function() end
        """
    }

    private var wirePlumberBluetoothLua: String {
        """
        bluez_monitor.enabled = false
        bluez_monitor.enable = function() end
        if bluez_midi_monitor then bluez_midi_monitor.enabled = false end
        """
    }

    private var wirePlumberConfiguration: String {
        """
        wireplumber.profiles = {
          main = { hardware.audio = disabled, hardware.bluetooth = disabled, hardware.video-capture = disabled }
        }
        """
    }
}
