/* A bare libmicrohttpd server: one event loop that reads a request's body and answers a constant.
   What a launch costs on top of it is LaunchLink's own; the loop has LaunchLink's options.
   Usage: bare PORT FILE, the file holding the answer's body. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char body[1 << 20];
static size_t body_size;

/* As for every answer that differs from the one before, a response is made for each request. */
static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state) {
  (void)cls, (void)url, (void)method, (void)version, (void)data;
  if (*state == NULL) {
    *state = body;
    return MHD_YES;
  }
  if (*size > 0) {
    *size = 0;
    return MHD_YES;
  }
  struct MHD_Response *response =
      MHD_create_response_from_buffer(body_size, body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(response, "Content-Type", "application/json");
  enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

int main(int count, char **arguments) {
  FILE *file = count == 3 ? fopen(arguments[2], "rb") : NULL;
  if (file == NULL) return fprintf(stderr, "usage: bare PORT FILE\n"), 64;
  body_size = fread(body, 1, sizeof body, file);
  fclose(file);

  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, NULL);

  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(arguments[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &answer, NULL, MHD_OPTION_SOCK_ADDR, &address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(12288 + 4096), MHD_OPTION_CONNECTION_LIMIT,
      10000u, MHD_OPTION_CONNECTION_TIMEOUT, 65u, MHD_OPTION_END);
  if (daemon == NULL) return perror("bare"), 69;
  int received;
  sigwait(&ends, &received);
  MHD_stop_daemon(daemon);
  return 0;
}
