import ArgumentParser

/// `--host`, which several verbs take.
struct HostOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to play: pipewire, simulated or auto.",
            discussion: "auto takes PipeWire where a server answers, else the simulated host, which makes no sound.",
            valueName: "host"))
    var host: HostChoice?
}
