#include "caudiotypes.h"

// The layout is Apple's: code that takes these apart by offsets, and files that hold them, rely on it.
#if !defined(__APPLE__)
_Static_assert(sizeof(AudioStreamBasicDescription) == 40, "layout of AudioStreamBasicDescription");
_Static_assert(sizeof(AudioBuffer) == 16, "layout of AudioBuffer");
_Static_assert(sizeof(AudioBufferList) == 24, "layout of AudioBufferList");
_Static_assert(sizeof(AudioTimeStamp) == 64, "layout of AudioTimeStamp");
_Static_assert(sizeof(AudioStreamPacketDescription) == 16, "layout of AudioStreamPacketDescription");
_Static_assert(sizeof(AudioChannelDescription) == 20, "layout of AudioChannelDescription");
_Static_assert(sizeof(AudioChannelLayout) == 32, "layout of AudioChannelLayout");
#endif
