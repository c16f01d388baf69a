extension ScenePicture {
    private static let laneHeight = 44
    private static let top = 26

    /// The picture as a file of its own, in SVG.
    public var svg: String {
        let height = Self.top + lanes.reduce(0) { $0 + Self.height(of: $1) } + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="1200" height="\(height)" role="img" aria-label="\(XML.text(summary))">
            <style>\(Self.style)</style>
            <rect class="back" width="100%" height="100%"/>
            \(axis(height: height))
            \(body)
            </svg>

            """
    }

    /// One sentence that says whether all was as expected.
    var summary: String {
        let title = history.scene.title.isEmpty ? "A scene" : history.scene.title
        let count = history.failures.count
        return title + (count == 0 ? ": all as expected" : ": \(count) not as expected")
    }

    private static func height(of lane: Lane) -> Int { lane.sound == nil ? laneHeight : laneHeight + 24 }

    private var body: String {
        var y = Self.top
        var shapes: [String] = []
        var names: [String] = []
        for (index, lane) in lanes.enumerated() {
            names.append("<text class=\"name\" x=\"4\" y=\"\(y + 13)\">\(XML.text(lane.name))</text>")
            if let sound = lane.sound {
                shapes.append(wave(sound, y: y + 18, height: 44))
            } else {
                shapes += segments(lane, y: y + 18, height: 22, id: index)
            }
            y += Self.height(of: lane)
        }
        return shapes.joined(separator: "\n") + "\n<g class=\"names\">\(names.joined())</g>"
    }

    private func segments(_ lane: Lane, y: Int, height: Int, id: Int) -> [String] {
        lane.segments.map { segment in
            let width = AudioScene.Time(microseconds: segment.end.microseconds - segment.start.microseconds)
            let label = XML.text(segment.label)
            let place = "x=\"\(percent(segment.start))\" y=\"\(y)\" width=\"\(percent(width))\" height=\"\(height)\""
            // An inner picture cuts its text off at its own edge.
            return "<svg \(place) class=\"\(segment.style.rawValue)\"><title>\(XML.text(segment.start.spelling)) to "
                + "\(XML.text(segment.end.spelling)): \(label)</title><rect width=\"100%\" height=\"100%\"/>"
                + "<rect class=\"edge\" width=\"2\" height=\"100%\"/><text x=\"6\" y=\"15\">\(label)</text></svg>"
        }
    }

    private func wave(_ sound: OutputSound, y: Int, height: Int) -> String {
        let points = min(Self.maximumPoints, max(1, Int((seconds / OutputSound.columnSeconds).rounded(.up))))
        var (upper, lower): ([String], [String]) = ([], [])
        var last = -1
        for point in 0..<points {
            let start = AudioScene.Time(microseconds: history.duration.microseconds * point / points)
            let end = AudioScene.Time(microseconds: history.duration.microseconds * (point + 1) / points)
            let peak = sound.peak(from: start, to: end)
            // The square root, so that a quiet sound is seen as one.
            let size = peak == 0 ? 0 : max(3, min(50, Int((peak.squareRoot() * 50).rounded())))
            if size != last {
                if last >= 0 {
                    upper.append("L\(point) \(50 - last)")
                    lower.append("L\(point) \(50 + last)")
                }
                upper.append("L\(point) \(50 - size)")
                lower.append("L\(point) \(50 + size)")
                last = size
            }
        }
        let path =
            "M0 50" + upper.joined() + "L\(points) \(50 - max(0, last))L\(points) \(50 + max(0, last))"
            + lower.reversed().joined() + "Z"
        let label = "\(sound.frames) frames of sound"
        return "<svg y=\"\(y)\" width=\"100%\" height=\"\(height)\" viewBox=\"0 0 \(points) 100\" "
            + "preserveAspectRatio=\"none\" class=\"wave\"><title>\(XML.text(sound.name)): \(label)</title>"
            + "<rect width=\"\(points)\" height=\"100\"/><path d=\"\(path)\"/></svg>"
    }

    private func axis(height: Int) -> String {
        let step = Self.steps.first { seconds / $0 <= 12 } ?? 3600
        return (0...Int(seconds / step)).map { index in
            let time = AudioScene.Time(seconds: Double(index) * step)
            let x = percent(time)
            let anchor = index == 0 ? "start" : Double(index) * step > seconds * 0.97 ? "end" : "middle"
            return "<line class=\"tick\" x1=\"\(x)\" x2=\"\(x)\" y1=\"18\" y2=\"\(height)\"/>"
                + "<text class=\"time\" text-anchor=\"\(anchor)\" x=\"\(x)\" y=\"13\">\(time.spelling)</text>"
        }.joined(separator: "\n")
    }

    private static let steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800]

    static let style = """
        :root{--back:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--event:#ddf4ff;--route:#eaeef2;--active:#b7e4c0;\
        --inactive:#eaeef2;--interrupted:#ffc9c4;--ducked:#ffe2a8;--playing:#8fd6a0;--paused:#ffb3ab;--waiting:#ffd98a;\
        --other:#d8c8f5;--met:#b7e4c0;--unmet:#ff8d84;--wave:#0969da;--waveback:#f6f8fa}
        @media (prefers-color-scheme:dark){:root{--back:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#30363d;\
        --event:#12304f;--route:#21262d;--active:#14532d;--inactive:#21262d;--interrupted:#7a1f1b;--ducked:#6b4a05;\
        --playing:#176b35;--paused:#8e2620;--waiting:#7d5700;--other:#472a7d;--met:#14532d;--unmet:#b3261e;\
        --wave:#58a6ff;--waveback:#161b22}}
        @media print{:root{--back:#fff;--ink:#000;--soft:#333;--line:#bbb;--event:#ddf4ff;--route:#eaeef2;\
        --active:#b7e4c0;--inactive:#eaeef2;--interrupted:#ffc9c4;--ducked:#ffe2a8;--playing:#8fd6a0;--paused:#ffb3ab;\
        --waiting:#ffd98a;--other:#d8c8f5;--met:#b7e4c0;--unmet:#ff8d84;--wave:#0969da;--waveback:#f6f8fa}}
        svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
        svg .name{fill:var(--soft);font-weight:600}svg .time{fill:var(--soft);font-size:11px}
        svg .back{fill:var(--back)}svg .tick{stroke:var(--line)}svg .edge{fill:var(--ink);opacity:.55}
        svg .event rect{fill:var(--event)}svg .route rect{fill:var(--route)}svg .active rect{fill:var(--active)}
        svg .inactive rect{fill:var(--inactive)}svg .interrupted rect{fill:var(--interrupted)}
        svg .ducked rect{fill:var(--ducked)}svg .playing rect{fill:var(--playing)}svg .paused rect{fill:var(--paused)}
        svg .waiting rect{fill:var(--waiting)}svg .other rect{fill:var(--other)}svg .met rect{fill:var(--met)}
        svg .unmet rect{fill:var(--unmet)}svg .wave rect{fill:var(--waveback)}svg .wave path{fill:var(--wave)}
        svg svg rect.edge{fill:var(--ink)}
        """
}

/// Text in XML and HTML.
enum XML {
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Not allowed in XML, and what turns the direction of text.
            case _
            where scalar.value < 0x20 || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .control || scalar.value & 0xFFFE == 0xFFFE:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
