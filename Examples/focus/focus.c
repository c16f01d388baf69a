// Holds (pause) or lowers (duck) what other programs play while a command runs: org.openavfaudio.Focus1, with GDBus.
//   cc focus.c -o focus $(pkg-config --cflags --libs gio-unix-2.0)
//   ./focus pause arecord -d 5 memo.wav
// sd-bus can do the same, but does not get through the proxy of a Flatpak that is older than xdg-dbus-proxy 0.1.6.
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// Returns a file: the other programs hold until its last copy is closed, which a crash does too. Children do not inherit it. Nothing is
// read from it or written to it. Returns -1 if nothing is held: go on without.
static int acquire(const char *kind, const char *reason)
{
    GError *error = NULL;
    GUnixFDList *files = NULL;
    GVariantBuilder options;
    int file = -1;
    g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&options, "{sv}", "reason", g_variant_new_string(reason));
    GVariant *words = g_variant_ref_sink(g_variant_new("(sa{sv})", kind, &options));
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    GVariant *reply = NULL;
    if (bus)
        reply = g_dbus_connection_call_with_unix_fd_list_sync(bus, "org.openavfaudio.Focus1",
            "/org/openavfaudio/Focus1", "org.openavfaudio.Focus1", "Acquire", words, G_VARIANT_TYPE("(hu)"),
            G_DBUS_CALL_FLAGS_NONE, 3000, NULL, &files, NULL, &error);
    if (reply) {
        gint32 index;
        g_variant_get(reply, "(hu)", &index, NULL);
        file = g_unix_fd_list_get(files, index, &error);
        g_variant_unref(reply);
    }
    if (error) fprintf(stderr, "focus: the others play on: %s\n", error->message);
    g_clear_error(&error);
    g_clear_object(&files);
    g_clear_object(&bus);
    g_variant_unref(words);
    return file;
}

static int work(char **words)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "usage: focus pause|pause-speech|duck COMMAND [WORD]...\n");
        return 2;
    }
    int file = acquire(words[1], "example");
    int status = work(words + 2);
    if (file >= 0) close(file);
    return status;
}
