// A UDP socket that is read and written in batches: one system call and one call into JavaScript for up to 64 packets.
// Node's own socket takes both for each packet, which costs more than answering it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <node_api.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#define BATCH 64
#define SLOT_BYTES 4096
// Batches in a row before other work of the process gets its turn.
#define ROUNDS 2
#define SEND_PATIENCE_MILLISECONDS 5

typedef struct {
  napi_env env;
  napi_ref on_batch;
  napi_async_context context;
  uv_poll_t poll;
  int fd;
  int is_closed;
  // Shared with JavaScript: packets, replies, the length of each, and the port that it came from.
  uint8_t *in;
  uint8_t *out;
  int32_t *lengths;
  uint16_t *ports;
  struct sockaddr_storage from[BATCH];
  struct iovec in_parts[BATCH], out_parts[BATCH];
  struct mmsghdr in_messages[BATCH], out_messages[BATCH];
} batch_socket;

static napi_value fail(napi_env env, int error) {
  napi_value code, message, thrown;
  napi_create_string_utf8(env, uv_err_name(-error), NAPI_AUTO_LENGTH, &code);
  napi_create_string_utf8(env, strerror(error), NAPI_AUTO_LENGTH, &message);
  napi_create_error(env, code, message, &thrown);
  napi_throw(env, thrown);
  return NULL;
}

// The length of the address, or 0 where the text is none.
static socklen_t to_sockaddr(const char *text, int port, struct sockaddr_storage *to) {
  struct sockaddr_in *four = (struct sockaddr_in *)to;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
  memset(to, 0, sizeof *to);
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons((uint16_t)port);
    return sizeof *four;
  }
  if (inet_pton(AF_INET6, text, &six->sin6_addr) != 1) return 0;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons((uint16_t)port);
  return sizeof *six;
}

static int port_of(const struct sockaddr_storage *from) {
  if (from->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)from)->sin6_port);
  return ntohs(((const struct sockaddr_in *)from)->sin_port);
}

// What the kernel has no room for is lost, as on a network, but not before it had a moment.
static void send_all(batch_socket *self, int count) {
  for (int sent = 0; sent < count;) {
    int done = sendmmsg(self->fd, self->out_messages + sent, (unsigned)(count - sent), 0);
    if (done > 0) {
      sent += done;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd writable = {.fd = self->fd, .events = POLLOUT};
      if (poll(&writable, 1, SEND_PATIENCE_MILLISECONDS) <= 0) return;
    } else if (errno != EINTR) {
      // One address cannot be sent to: the others can.
      sent += 1;
    }
  }
}

// Takes a batch, has it answered, sends the replies. Whether there may be more.
static int answer_batch(batch_socket *self) {
  for (int index = 0; index < BATCH; index += 1) {
    self->in_messages[index].msg_hdr.msg_namelen = sizeof self->from[index];
  }
  int count = recvmmsg(self->fd, self->in_messages, BATCH, MSG_DONTWAIT, NULL);
  if (count <= 0) return 0;
  for (int index = 0; index < count; index += 1) {
    const int is_cut = self->in_messages[index].msg_hdr.msg_flags & MSG_TRUNC;
    self->lengths[index] = is_cut ? 0 : (int32_t)self->in_messages[index].msg_len;
    self->ports[index] = (uint16_t)port_of(&self->from[index]);
  }
  napi_handle_scope scope;
  napi_value callback, receiver, argument, result;
  napi_open_handle_scope(self->env, &scope);
  napi_get_reference_value(self->env, self->on_batch, &callback);
  napi_get_global(self->env, &receiver);
  napi_create_int32(self->env, count, &argument);
  napi_status status = napi_make_callback(self->env, self->context, receiver, callback, 1, &argument, &result);
  if (status == napi_pending_exception && napi_get_and_clear_last_exception(self->env, &result) == napi_ok) {
    napi_fatal_exception(self->env, result);
  }
  napi_close_handle_scope(self->env, scope);
  if (status != napi_ok || self->is_closed) return 0;
  int replies = 0;
  for (int index = 0; index < count; index += 1) {
    if (self->lengths[index] <= 0) continue;
    struct msghdr *reply = &self->out_messages[replies].msg_hdr;
    self->out_parts[replies].iov_base = self->out + (size_t)index * SLOT_BYTES;
    self->out_parts[replies].iov_len = (size_t)self->lengths[index];
    reply->msg_name = &self->from[index];
    reply->msg_namelen = self->in_messages[index].msg_hdr.msg_namelen;
    replies += 1;
  }
  if (replies > 0) send_all(self, replies);
  return count == BATCH;
}

static void on_readable(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  batch_socket *self = poll->data;
  for (int round = 0; round < ROUNDS && !self->is_closed && answer_batch(self); round += 1) continue;
}

static void on_closed(uv_handle_t *handle) {
  batch_socket *self = handle->data;
  close(self->fd);
  napi_delete_reference(self->env, self->on_batch);
  napi_async_destroy(self->env, self->context);
  free(self);
}

static batch_socket *self_of(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments) {
  void *data;
  napi_get_cb_info(env, info, count, arguments, NULL, &data);
  return data;
}

// close()
static napi_value close_socket(napi_env env, napi_callback_info info) {
  size_t count = 0;
  batch_socket *self = self_of(env, info, &count, NULL);
  if (self->is_closed) return NULL;
  self->is_closed = 1;
  uv_close((uv_handle_t *)&self->poll, on_closed);
  return NULL;
}

// source(index) -> [address, port] of a packet of this batch
static napi_value source(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, pair, part;
  uint32_t index = 0;
  batch_socket *self = self_of(env, info, &count, &argument);
  napi_get_value_uint32(env, argument, &index);
  const struct sockaddr_storage *from = &self->from[index % BATCH];
  char text[INET6_ADDRSTRLEN] = "";
  const void *bytes = from->ss_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)from)->sin6_addr
                                                  : (const void *)&((const struct sockaddr_in *)from)->sin_addr;
  inet_ntop(from->ss_family, bytes, text, sizeof text);
  napi_create_array_with_length(env, 2, &pair);
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &part);
  napi_set_element(env, pair, 0, part);
  napi_create_int32(env, port_of(from), &part);
  napi_set_element(env, pair, 1, part);
  return pair;
}

// send(bytes, address, port): a reply that comes later
static napi_value send_one(napi_env env, napi_callback_info info) {
  size_t count = 3, length = 0;
  napi_value arguments[3];
  void *bytes = NULL;
  char text[INET6_ADDRSTRLEN] = "";
  int32_t port = 0;
  struct sockaddr_storage to;
  batch_socket *self = self_of(env, info, &count, arguments);
  if (napi_get_buffer_info(env, arguments[0], &bytes, &length) != napi_ok) return NULL;
  napi_get_value_string_utf8(env, arguments[1], text, sizeof text, NULL);
  napi_get_value_int32(env, arguments[2], &port);
  const socklen_t size = to_sockaddr(text, port, &to);
  if (size > 0) sendto(self->fd, bytes, length, MSG_DONTWAIT, (struct sockaddr *)&to, size);
  return NULL;
}

static void add_function(napi_env env, napi_value object, const char *name, napi_callback callback, void *data) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, data, &function);
  napi_set_named_property(env, object, name, function);
}

static int open_socket(const char *text, int port, int receive_bytes, struct sockaddr_storage *local) {
  const socklen_t size = to_sockaddr(text, port, local);
  if (size == 0) return -EINVAL;
  const int fd = socket(local->ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  const int yes = 1;
  socklen_t known = sizeof *local;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) < 0 || bind(fd, (struct sockaddr *)local, size) < 0 ||
      getsockname(fd, (struct sockaddr *)local, &known) < 0) {
    const int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

// open(address, port, receiveBytes, in, out, lengths, ports, onBatch) -> { port, close, source, send }. `in` and `out` have
// 64 slots of 4096 bytes, and `lengths` has 64 numbers: of the packets before `onBatch(count)`, of the replies after it.
// Nothing of it may be called after close().
static napi_value open_batch(napi_env env, napi_callback_info info) {
  size_t count = 8, bytes = 0;
  napi_value arguments[8], name, result, port_value;
  char text[INET6_ADDRSTRLEN] = "";
  int32_t port = 0, receive_bytes = 0;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_string_utf8(env, arguments[0], text, sizeof text, NULL);
  napi_get_value_int32(env, arguments[1], &port);
  napi_get_value_int32(env, arguments[2], &receive_bytes);
  struct sockaddr_storage local;
  const int fd = open_socket(text, port, receive_bytes, &local);
  if (fd < 0) return fail(env, -fd);
  batch_socket *self = calloc(1, sizeof *self);
  self->env = env;
  self->fd = fd;
  void *in = NULL, *out = NULL, *lengths = NULL, *ports = NULL;
  napi_get_buffer_info(env, arguments[3], &in, &bytes);
  napi_get_buffer_info(env, arguments[4], &out, &bytes);
  napi_get_typedarray_info(env, arguments[5], NULL, NULL, &lengths, NULL, NULL);
  napi_get_typedarray_info(env, arguments[6], NULL, NULL, &ports, NULL, NULL);
  self->in = in;
  self->out = out;
  self->lengths = lengths;
  self->ports = ports;
  for (int index = 0; index < BATCH; index += 1) {
    self->in_parts[index] = (struct iovec){self->in + (size_t)index * SLOT_BYTES, SLOT_BYTES};
    self->in_messages[index].msg_hdr.msg_iov = &self->in_parts[index];
    self->in_messages[index].msg_hdr.msg_iovlen = 1;
    self->in_messages[index].msg_hdr.msg_name = &self->from[index];
    self->out_messages[index].msg_hdr.msg_iov = &self->out_parts[index];
    self->out_messages[index].msg_hdr.msg_iovlen = 1;
  }
  napi_create_reference(env, arguments[7], 1, &self->on_batch);
  napi_create_string_utf8(env, "fairlead:batch-udp", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &self->context);
  uv_loop_t *loop;
  napi_get_uv_event_loop(env, &loop);
  self->poll.data = self;
  uv_poll_init(loop, &self->poll, fd);
  uv_poll_start(&self->poll, UV_READABLE, on_readable);
  napi_create_object(env, &result);
  napi_create_int32(env, port_of(&local), &port_value);
  napi_set_named_property(env, result, "port", port_value);
  add_function(env, result, "close", close_socket, self);
  add_function(env, result, "source", source, self);
  add_function(env, result, "send", send_one, self);
  return result;
}

NAPI_MODULE_INIT() {
  add_function(env, exports, "open", open_batch, NULL);
  return exports;
}
