#include "crealtime.h"
