#pragma once
#include <stdlib.h>
#include <systemd/sd-daemon.h>
