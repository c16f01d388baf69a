#pragma once
#include <FLAC/metadata.h>
