import Foundation
import PackagePlugin

/// The command `swift package port-audio-session [--write] PATH...`.
@main struct PortAudioSession: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let tool = Process()
        tool.executableURL = try context.tool(named: "port-audio-session").url
        tool.arguments = arguments
        tool.currentDirectoryURL = context.package.directoryURL
        try tool.run()
        tool.waitUntilExit()
        if tool.terminationStatus != 0 { Diagnostics.error("port-audio-session ended with \(tool.terminationStatus)") }
    }
}
