#pragma once
#include <stddef.h>

/// The text of openapi.yaml, compiled in, so that the program serves it wherever it is installed.
const unsigned char *openapi_yaml(size_t *size);
