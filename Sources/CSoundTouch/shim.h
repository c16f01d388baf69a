#pragma once
#include <SoundTouch.h>
