#include "oav_pipewire.h"
