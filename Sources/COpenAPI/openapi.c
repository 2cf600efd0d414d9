#include "openapi.h"

static const unsigned char text[] = {
#embed "../../openapi.yaml"
};

const unsigned char *openapi_yaml(size_t *size) {
  *size = sizeof text;
  return text;
}
