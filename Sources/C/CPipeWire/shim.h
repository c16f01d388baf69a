// Empty where libpipewire's headers are missing: the tree then builds with the simulated host only.
#pragma once
#if __has_include(<pipewire/pipewire.h>)
#include <pipewire/pipewire.h>
#endif
