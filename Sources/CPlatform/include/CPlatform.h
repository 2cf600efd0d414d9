#pragma once
#include "clocks.h"
#include "events.h"
#include "process.h"
#include "temporary_files.h"
