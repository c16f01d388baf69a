extension SceneHistory {
    /// One JSON object a line: each entry, then a last one with what was not met.
    public var json: String {
        let lines = entries.map { entry in
            var fields = [
                ("time", "\(entry.time.seconds)"), ("who", JSONText.string(entry.what.lane)),
                ("what", JSONText.string(entry.what.words)),
            ]
            if let notice = entry.what.notice { fields.append(("notice", JSONText.string(notice))) }
            return JSONText.object(fields)
        }
        let result = JSONText.object([
            ("time", "\(duration.seconds)"), ("who", JSONText.string("result")),
            ("failures", JSONText.array(failures.map { JSONText.string($0.description) })),
            ("objections", JSONText.array(objections.map(JSONText.string))),
            (
                "outputs",
                JSONText.array(
                    sounds.map { sound in
                        JSONText.object([("name", JSONText.string(sound.name)), ("frames", "\(sound.frames)")])
                    })
            ),
        ])
        return (lines + [result]).joined(separator: "\n") + "\n"
    }

    /// Chrome's trace event format, which Perfetto opens: a track for each lane of the picture.
    public var perfetto: String {
        let lanes = ScenePicture(self).lanes
        var events: [String] = []
        var name = ""
        for (index, lane) in lanes.enumerated() {
            // A lane without a name goes on with what the one above has no room for.
            if !lane.name.isEmpty { name = lane.name }
            let track = [("pid", "1"), ("tid", "\(index + 1)")]
            events.append(
                JSONText.object(
                    [
                        ("ph", "\"M\""), ("name", "\"thread_name\""),
                        ("args", JSONText.object([("name", JSONText.string(name))])),
                    ]
                        + track))
            for segment in lane.segments {
                events.append(
                    JSONText.object(
                        [
                            ("ph", "\"X\""), ("name", JSONText.string(segment.label)),
                            ("ts", "\(segment.start.microseconds)"),
                            ("dur", "\(segment.end.microseconds - segment.start.microseconds)"),
                        ] + track))
            }
            for range in lane.sound?.channels.first?.ranges.prefix(ScenePicture.maximumEvents) ?? [] {
                guard let sound = lane.sound else { continue }
                let start = sound.time(ofFrame: range.lowerBound)
                let end = sound.time(ofFrame: range.upperBound)
                events.append(
                    JSONText.object(
                        [
                            ("ph", "\"X\""), ("name", "\"sound\""), ("ts", "\(start.microseconds)"),
                            ("dur", "\(end.microseconds - start.microseconds)"),
                        ] + track))
            }
        }
        return "{\"traceEvents\": [\n" + events.joined(separator: ",\n") + "\n]}\n"
    }
}
