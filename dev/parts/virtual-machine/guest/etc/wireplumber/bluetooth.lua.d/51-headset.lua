-- Debian 12: this side is the computer, with one codec. The headset's side is another program (headset).
bluez_monitor.properties["bluez5.headset-roles"] = "[ hfp_ag ]"
bluez_monitor.properties["bluez5.codecs"] = "[ sbc ]"
