extension ScenePicture {
    private static let barHeight = 22
    private static let waveHeight = 44
    private static let nameHeight = 18
    private static let rowHeight = 15
    /// Of the times above the lanes.
    private static let axisHeight = 26
    /// Failures that are written out above the lanes.
    private static let maximumFailures = 6

    /// The picture as a file of its own, in SVG: what it shows, whether all was as expected, the lanes, and where it comes from.
    public var svg: String { svg(head: head, foot: caption.isEmpty ? [] : [caption]) }

    /// Only the lanes, for a page that has said the rest.
    var timeline: String { svg(head: [], foot: []) }

    private typealias HeadLine = (text: String, style: String)

    private func svg(head: [HeadLine], foot: [String]) -> String {
        var y = head.isEmpty ? 0 : 10
        var texts: [String] = []
        for line in head {
            y += line.style == "title" ? 20 : 17
            texts.append("<text class=\"\(line.style)\" x=\"4\" y=\"\(y)\">\(XML.text(line.text))</text>")
        }
        y += head.isEmpty ? 0 : 8
        let (lanes, bottom) = body(from: y + Self.axisHeight)
        texts += foot.enumerated().map {
            "<text class=\"time\" x=\"4\" y=\"\(bottom + 14 + $0 * Self.rowHeight)\">\(XML.text($1))</text>"
        }
        let height = bottom + 8 + foot.count * Self.rowHeight
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="1200" height="\(height)" role="img" aria-label="\(XML.text(summary))">
            <style>\(Self.style)</style>
            <rect class="back" width="100%" height="100%"/>
            \(texts.joined(separator: "\n"))
            \(axis(from: y, to: bottom))
            \(lanes)
            </svg>

            """
    }

    var title: String { history.scene.title.isEmpty ? "A scene" : history.scene.title }

    private var head: [HeadLine] {
        var lines: [HeadLine] = LaneLabels.pieces(of: title).map { ($0, "title") }
        if faults.isEmpty { lines.append((history.verdict, "good")) }
        for fault in faults.prefix(Self.maximumFailures) {
            lines += LaneLabels.pieces(of: "✗ \(fault)").map { ($0, "fault") }
        }
        let rest = faults.count - Self.maximumFailures
        if rest > 0 { lines.append(("✗ and \(rest) more", "fault")) }
        return lines
    }

    /// One sentence that says whether all was as expected.
    var summary: String {
        let count = history.failures.count
        return title + (count == 0 ? ": all as expected" : ": \(count) not as expected")
    }

    /// The lanes, and where they end; where something was not as expected, that is marked through all of them.
    private func body(from top: Int) -> (shapes: String, bottom: Int) {
        var y = top
        var shapes: [String] = []
        var names: [String] = []
        for lane in lanes {
            names.append("<text class=\"name\" x=\"4\" y=\"\(y + 13)\">\(XML.text(lane.name))</text>")
            y += Self.nameHeight
            if let sound = lane.sound {
                shapes.append(wave(sound, y: y, height: Self.waveHeight))
                y += Self.waveHeight + 6
            } else if !lane.segments.isEmpty {
                let labels = LaneLabels(lane.segments, seconds: seconds)
                shapes += segments(lane, labels, y: y)
                y += Self.barHeight + 4
                shapes += labels.lines.map { text(of: $0, y: y + 11) }
                y += labels.rowCount * Self.rowHeight + (labels.rowCount > 0 ? 4 : 0)
            }
        }
        let unmet = lanes.flatMap(\.segments).filter { $0.style == .unmet }
        let bands = unmet.map { segment in
            return "<rect class=\"unmet-band\" x=\"\(percent(segment.start))\" y=\"\(top - 8)\" "
                + "width=\"\(percent(segment.length))\" height=\"\(y - top + 8)\"/>"
        }
        let lines = unmet.map { segment in
            let x = percent(segment.start)
            return "<line class=\"unmet-line\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top - 8)\" y2=\"\(y)\"/>"
        }
        let all = bands + shapes + lines
        return (all.joined(separator: "\n") + "\n<g class=\"names\">\(names.joined())</g>", y)
    }

    private func segments(_ lane: Lane, _ labels: LaneLabels, y: Int) -> [String] {
        lane.segments.enumerated().map { index, segment in
            let label = XML.text(segment.label)
            let place =
                "x=\"\(percent(segment.start))\" y=\"\(y)\" width=\"\(percent(segment.length))\" height=\"\(Self.barHeight)\""
            let text = labels.inside.contains(index) ? "<text x=\"6\" y=\"15\">\(label)</text>" : ""
            return "<svg \(place) class=\"\(segment.style.rawValue)\"><title>\(XML.text(segment.start.spelling)) to "
                + "\(XML.text(segment.end.spelling)): \(label)</title><rect width=\"100%\" height=\"100%\"/>"
                + "<rect class=\"edge\" width=\"2\" height=\"100%\"/>\(text)</svg>"
        }
    }

    /// A label below its bar.
    private func text(of line: LaneLabels.Line, y: Int) -> String {
        let place = line.endsAtEdge ? "x=\"100%\" text-anchor=\"end\"" : "x=\"\(percent(line.start))\""
        return "<text \(place) y=\"\(y + line.row * Self.rowHeight)\">\(XML.text(line.text))</text>"
    }

    private func wave(_ sound: OutputSound, y: Int, height: Int) -> String {
        let points = min(Self.maximumPoints, max(1, Int((seconds / OutputSound.columnSeconds).rounded(.up))))
        // The square root, so that a quiet sound is seen as one; a line where there is none.
        let sizes = (0..<points).map { point in
            let start = AudioScene.Time(microseconds: history.duration.microseconds * point / points)
            let end = AudioScene.Time(microseconds: history.duration.microseconds * (point + 1) / points)
            let peak = sound.peak(from: start, to: end)
            return peak == 0 ? 1 : max(3, min(50, Int((peak.squareRoot() * 50).rounded())))
        }
        // A corner only where the size changes.
        let corners = sizes.indices.filter {
            $0 == 0 || sizes[$0] != sizes[$0 - 1] || sizes[$0] != sizes[min($0 + 1, points - 1)]
        }
        let path =
            "M0 50" + corners.map { "L\($0) \(50 - sizes[$0])" }.joined() + "L\(points) \(50 - sizes[points - 1])"
            + "L\(points) \(50 + sizes[points - 1])" + corners.reversed().map { "L\($0) \(50 + sizes[$0])" }.joined()
            + "Z"
        let label = "\(sound.frames) frames of sound"
        return "<svg y=\"\(y)\" width=\"100%\" height=\"\(height)\" viewBox=\"0 0 \(points) 100\" "
            + "preserveAspectRatio=\"none\" class=\"wave\"><title>\(XML.text(sound.name)): \(label)</title>"
            + "<rect width=\"\(points)\" height=\"100\"/><path d=\"\(path)\"/></svg>"
    }

    private func axis(from top: Int, to bottom: Int) -> String {
        let step = Self.steps.first { seconds / $0 <= 12 } ?? 3600
        return (0...Int(seconds / step)).map { index in
            let time = AudioScene.Time(seconds: Double(index) * step)
            let x = percent(time)
            let anchor = index == 0 ? "start" : Double(index) * step > seconds * 0.97 ? "end" : "middle"
            return "<line class=\"tick\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top + 18)\" y2=\"\(bottom)\"/>"
                + "<text class=\"time\" text-anchor=\"\(anchor)\" x=\"\(x)\" y=\"\(top + 13)\">\(time.spelling)</text>"
        }.joined(separator: "\n")
    }

    private static let steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800]

    /// The colours of the screen in the light and in the dark; on paper, the first.
    private static let colours: [(name: String, light: String, dark: String)] = [
        ("back", "#fff", "#0d1117"), ("ink", "#1b1f24", "#e6edf3"), ("soft", "#57606a", "#9198a1"),
        ("line", "#d0d7de", "#30363d"), ("event", "#ddf4ff", "#12304f"), ("route", "#eaeef2", "#21262d"),
        ("active", "#b7e4c0", "#14532d"), ("inactive", "#eaeef2", "#21262d"), ("interrupted", "#ffc9c4", "#7a1f1b"),
        ("ducked", "#ffe2a8", "#6b4a05"), ("playing", "#8fd6a0", "#176b35"), ("paused", "#ffb3ab", "#8e2620"),
        ("waiting", "#ffd98a", "#7d5700"), ("other", "#d8c8f5", "#472a7d"), ("met", "#b7e4c0", "#14532d"),
        ("unmet", "#ff8d84", "#b3261e"), ("many", "#ffd98a", "#7d5700"), ("fault", "#cf222e", "#ff7b72"),
        ("wave", "#0969da", "#58a6ff"), ("waveback", "#f6f8fa", "#161b22"),
    ]

    /// Without variables, which not every program that shows SVG knows.
    private static let paints: [(selector: String, property: String, colour: String)] =
        [
            ("text", "fill", "ink"), (".name", "fill", "soft"), (".time", "fill", "soft"), (".back", "fill", "back"),
            (".tick", "stroke", "line"), (".fault", "fill", "fault"), (".unmet-band", "fill", "fault"),
            (".unmet-line", "stroke", "fault"), (".wave rect", "fill", "waveback"), (".wave path", "fill", "wave"),
        ] + Style.allCases.map { (".\($0.rawValue) rect", "fill", $0.rawValue) } + [("svg rect.edge", "fill", "ink")]

    static let style = """
        svg text{font:12px system-ui,sans-serif}svg .name{font-weight:600}svg .time{font-size:11px}svg .edge{opacity:.55}
        svg .title{font-size:16px;font-weight:700}svg .good{font-weight:600}svg .fault{font-size:13px;font-weight:700}
        svg .unmet-band{opacity:.13}svg .unmet-line{stroke-width:3}
        \(rules(\.light))
        @media screen and (prefers-color-scheme:dark){\(rules(\.dark))}
        """

    private static func rules(_ shade: KeyPath<(name: String, light: String, dark: String), String>) -> String {
        let values = Dictionary(uniqueKeysWithValues: colours.map { ($0.name, $0[keyPath: shade]) })
        return paints.map { "svg \($0.selector){\($0.property):\(values[$0.colour] ?? "red")}" }.joined()
    }

    /// The colours as variables, for the page.
    static let variables = """
        :root{\(colours.map { "--\($0.name):\($0.light)" }.joined(separator: ";"))}
        @media screen and (prefers-color-scheme:dark){:root{\(colours.map { "--\($0.name):\($0.dark)" }.joined(separator: ";"))}}
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
