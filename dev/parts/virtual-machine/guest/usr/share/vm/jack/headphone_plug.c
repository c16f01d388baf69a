// SPDX-License-Identifier: GPL-2.0
// Gives sound card 0 a headphone socket, which QEMU's has not: the controls that the kernel makes for a laptop's.
// Write 1 or 0 to /sys/module/headphone_plug/parameters/is_in.
#include <linux/module.h>
#include <sound/core.h>
#include <sound/jack.h>

static struct snd_jack *headphones;
static struct snd_jack *speaker;
static bool is_in;

static int move_plug(const char *text, const struct kernel_param *parameter)
{
	int error = param_set_bool(text, parameter);

	if (!error && headphones)
		snd_jack_report(headphones, is_in ? SND_JACK_HEADPHONE : 0);
	return error;
}

static const struct kernel_param_ops plug = { .set = move_plug, .get = param_get_bool };
module_param_cb(is_in, &plug, &is_in, 0644);

static int __init add_jacks(void)
{
	struct snd_card *card = snd_card_ref(0);
	int error;

	if (!card)
		return -ENODEV;
	error = snd_jack_new(card, "Headphone", SND_JACK_HEADPHONE, &headphones, true, false);
	if (!error)
		error = snd_jack_new(card, "Speaker Phantom", SND_JACK_LINEOUT, &speaker, true, true);
	if (!error)
		snd_jack_report(speaker, SND_JACK_LINEOUT);
	snd_card_unref(card);
	// The card keeps its jacks: this code must stay.
	__module_get(THIS_MODULE);
	return error;
}
module_init(add_jacks);
MODULE_DESCRIPTION("A headphone socket for a card without one");
MODULE_LICENSE("GPL");
