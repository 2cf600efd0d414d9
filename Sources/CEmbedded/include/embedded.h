#pragma once
#include <stddef.h>

/// A file of the project, compiled in, so that the program has it wherever it is installed.
typedef struct {
  const unsigned char *bytes;
  size_t size;
} embedded_file;

/// openapi.yaml.
embedded_file embedded_openapi(void);

/// Config/launchlink.yaml, which says what each setting is for.
embedded_file embedded_settings(void);

/// The support pages' style sheet, script and icon.
embedded_file embedded_support_css(void);
embedded_file embedded_support_js(void);
embedded_file embedded_support_icon(void);
