// The headphones guard in GNOME's quick settings, over org.openavfaudio.Guard1 of 'audiosession guard'.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';
import {QuickMenuToggle, SystemIndicator} from 'resource:///org/gnome/shell/ui/quickSettings.js';

const NAME = 'org.openavfaudio.Guard1';
const PATH = '/org/openavfaudio/Guard1';
const ICON = 'audio-headphones-symbolic';
// The most programs that the menu names.
const MOST = 6;

const Guard = Gio.DBusProxy.makeProxyWrapper(`
<node><interface name="${NAME}">
  <method name="Release"><arg type="s" direction="in"/><arg type="u" direction="out"/></method>
  <method name="LeaveAlone"><arg type="s" direction="in"/><arg type="b" direction="in"/></method>
  <method name="OffUntil"><arg type="t" direction="in"/></method>
  <method name="On"/>
  <property name="Held" type="aa{sv}" access="read"/>
  <property name="WatchedOutput" type="s" access="read"/>
  <property name="IsOff" type="b" access="read"/>
  <property name="OffUntil" type="t" access="read"/>
</interface></node>`);

const GuardToggle = GObject.registerClass(class GuardToggle extends QuickMenuToggle {
    constructor(guard) {
        super({title: 'Headphones', iconName: ICON});
        this._guard = guard;
        this.connect('clicked', () => this._ask(this._guard.IsOff ? 'On' : 'OffUntil', 0));
        this._programs = new PopupMenu.PopupMenuSection();
        this.menu.addMenuItem(this._programs);
        this._hour = this.menu.addAction('Off for an hour',
            () => this._ask('OffUntil', GLib.get_real_time() + 3600 * 1000000));
    }

    // What the guard refuses is in its log; its properties say what is.
    _ask(method, ...words) {
        const parameters = method === 'On' ? [] : words;
        this._guard[`${method}Remote`](...parameters, (_, error) => {
            if (error)
                console.warn(`Headphones guard: ${error.message}`);
        });
    }

    // The programs that are held, each once, with the reasons.
    get held() {
        const programs = new Map();
        for (const stream of this._guard.Held ?? []) {
            const values = Object.fromEntries(Object.entries(stream).map(([key, value]) => [key, value.deepUnpack()]));
            if (!values.isHeard && !programs.has(values.program))
                programs.set(values.program, values.reasons.join('; '));
        }
        return programs;
    }

    update() {
        const {held, _guard: guard} = this;
        this.checked = !guard.IsOff;
        this.subtitle = this._words(held);
        this.menu.setHeader(ICON, 'Headphones guard', this.subtitle);
        this._programs.removeAll();
        for (const [program, reasons] of [...held].slice(0, MOST)) {
            this._programs.addMenuItem(new PopupMenu.PopupMenuItem(`${program}: ${reasons}`, {reactive: false}));
            this._programs.addAction(`Play ${program} here`, () => this._ask('Release', program));
            this._programs.addAction(`Leave ${program} alone from now on`, () => this._ask('LeaveAlone', program, true));
        }
        if (held.size > 1)
            this._programs.addAction('Play all here', () => this._ask('Release', ''));
        if (held.size)
            this._programs.addMenuItem(new PopupMenu.PopupSeparatorMenuItem());
        this._hour.visible = !guard.IsOff;
    }

    _words(held) {
        const guard = this._guard;
        if (held.size)
            return held.size === 1 ? `${[...held.keys()][0]} is paused` : `${held.size} programs are paused`;
        if (guard.IsOff && guard.OffUntil)
            return `Off until ${GLib.DateTime.new_from_unix_local(guard.OffUntil / 1000000).format('%H:%M')}`;
        return guard.IsOff ? 'Off' : guard.WatchedOutput ? `Watches ${guard.WatchedOutput}` : 'On';
    }
});

const GuardIndicator = GObject.registerClass(class GuardIndicator extends SystemIndicator {
    constructor(guard) {
        super();
        this._guard = guard;
        this._icon = this._addIndicator();
        this._icon.iconName = ICON;
        this.toggle = new GuardToggle(guard);
        this.quickSettingsItems.push(this.toggle);
        this.update();
    }

    // Without a guard on the bus there is nothing to see.
    update() {
        const isThere = this._guard.g_name_owner !== null;
        this.toggle.visible = isThere;
        this._icon.visible = isThere && this.toggle.held.size > 0;
        if (isThere)
            this.toggle.update();
    }

    destroy() {
        this.quickSettingsItems.forEach(item => item.destroy());
        super.destroy();
    }
});

export default class HeadphonesGuard extends Extension {
    enable() {
        this._cancellable = new Gio.Cancellable();
        this._guard = new Guard(Gio.DBus.session, NAME, PATH, (guard, error) => {
            if (error || !this._guard)
                return;
            this._indicator = new GuardIndicator(guard);
            Main.panel.statusArea.quickSettings.addExternalIndicator(this._indicator);
            this._signals = ['g-properties-changed', 'notify::g-name-owner'].map(
                name => guard.connect(name, () => this._indicator.update()));
        }, this._cancellable, Gio.DBusProxyFlags.DO_NOT_AUTO_START);
    }

    disable() {
        this._cancellable.cancel();
        for (const signal of this._signals ?? [])
            this._guard.disconnect(signal);
        this._indicator?.destroy();
        this._indicator = this._signals = this._guard = this._cancellable = null;
    }
}
