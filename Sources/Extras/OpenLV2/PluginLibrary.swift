import AudioModel
package import EngineCore
import Threading

/// The LV2 plug-ins that are installed, through lilv.
///
/// Listing reads the descriptions in the plug-ins' bundles (`LV2_PATH`, or where Debian has them), and no code of a plug-in: that is
/// loaded when an instance is made. lilv is loaded at the first use.
///
/// Any thread but the render thread.
package final class PluginLibrary: UnitProvider {
    package static let shared = PluginLibrary()

    private struct Scan: Sendable {
        /// Nil where lilv is not there.
        var lilv: Lilv?
        var plugins: [Plugin] = []
        var refused: [String: Plugin.Refusal] = [:]
        var failure: String?
    }

    private let library: String?
    private let path: String?
    private let made = OnceMade<Scan>()

    /// - Parameters:
    ///   - library: what is loaded as lilv; nil for lilv.
    ///   - path: where plug-ins are looked for; nil for `LV2_PATH` and the usual directories.
    package init(library: String? = nil, path: String? = nil) { (self.library, self.path) = (library, path) }

    private var scan: Scan {
        made.value {
            var scan = Scan()
            do throws(Lilv.Missing) {
                let lilv = try Lilv(library: library, path: path)
                for claims in lilv.readClaims() {
                    do throws(Plugin.Refusal) { scan.plugins.append(try Plugin(claims)) } catch {
                        scan.refused[claims.uri.printable] = error
                    }
                }
                scan.plugins.sort { ($0.name, $0.uri) < ($1.name, $1.uri) }
                scan.lilv = lilv
            } catch {
                scan.failure = error.text
            }
            return scan
        }.value
    }

    package var name: String { "LV2" }
    /// The four letters "lv2 ".
    package var code: UInt32 { 0x6c76_3220 }

    package var units: [ProvidedUnit] {
        plugins.map { plugin in
            ProvidedUnit(name: plugin.name, maker: plugin.author, category: plugin.category, uri: plugin.uri) {
                PluginUnit(plugin, of: self)
            }
        }
    }

    /// The plug-ins that can run here, by name; empty without lilv.
    package var plugins: [Plugin] { scan.plugins }

    /// Installed plug-ins that are not offered, by URI, with the reason.
    package var refused: [String: Plugin.Refusal] { scan.refused }

    /// Why no plug-ins are listed: lilv is not there.
    package var failure: String? { scan.failure }

    /// Loads the plug-in's code and makes an instance, which is not connected to anything.
    ///
    /// - Throws: why the plug-in cannot be loaded, or that it refuses the rate.
    func instantiate(
        _ plugin: Plugin, sampleRate: Double, maximumFrames: Int
    ) throws(Lilv.NoInstance) -> PluginInstance {
        guard let lilv = scan.lilv else { throw Lilv.NoInstance(reason: "lilv is not there") }
        return try lilv.instantiate(plugin.uri, sampleRate: sampleRate, maximumFrames: maximumFrames)
    }
}
