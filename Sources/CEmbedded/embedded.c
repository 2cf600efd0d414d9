#include "embedded.h"

static const unsigned char openapi[] = {
#embed "../../openapi.yaml"
};

static const unsigned char settings[] = {
#embed "../../Config/launchlink.yaml"
};

static const unsigned char support_css[] = {
#embed "Assets/support.css"
};

static const unsigned char support_js[] = {
#embed "Assets/support.js"
};

static const unsigned char support_icon[] = {
#embed "Assets/icon.svg"
};

#define FILE_OF(bytes) ((embedded_file){bytes, sizeof bytes})

embedded_file embedded_openapi(void) { return FILE_OF(openapi); }
embedded_file embedded_settings(void) { return FILE_OF(settings); }
embedded_file embedded_support_css(void) { return FILE_OF(support_css); }
embedded_file embedded_support_js(void) { return FILE_OF(support_js); }
embedded_file embedded_support_icon(void) { return FILE_OF(support_icon); }
