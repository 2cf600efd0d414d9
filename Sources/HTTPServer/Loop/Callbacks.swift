internal import CInterposition
internal import CMicroHTTPD
internal import Glibc

// The callbacks of libmicrohttpd, which calls them only on the event loop's thread.

let beginRequest:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { _, target, connection in
      guard let target, let state = chttp_attached(connection) else { return nil }
      Unmanaged<ClientConnection>.fromOpaque(state)._withUnsafeGuaranteedRef {
        $0.begin(target: target)
      }
      return state
    }

let handleRequest: MHD_AccessHandlerCallback = {
  _, connection, url, method, version, body, size, state in
  guard let connection, let url, let method, let version, let size, let state = state?.pointee
  else { return .NO }
  let goesOn = Unmanaged<ClientConnection>.fromOpaque(state)._withUnsafeGuaranteedRef {
    $0.proceed(
      connection, url: url, method: method, version: version, body: body, size: &size.pointee)
  }
  return goesOn ? .YES : .NO
}

let completeRequest: MHD_RequestCompletedCallback = { _, _, state, _ in
  guard let state = state?.pointee else { return }
  Unmanaged<ClientConnection>.fromOpaque(state)._withUnsafeGuaranteedRef { $0.end() }
}

let noteConnection: MHD_NotifyConnectionCallback = { loop, connection, state, event in
  guard let loop, let connection, let state else { return }
  let owner = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  if chttp_is_opened(event) {
    let opened = ClientConnection(loop: owner, descriptor: chttp_descriptor(connection))
    owner.opened(opened.watch)
    state.pointee = Unmanaged.passRetained(opened).toOpaque()
  } else if let opened = state.pointee {
    let closed = Unmanaged<ClientConnection>.fromOpaque(opened).takeRetainedValue()
    state.pointee = nil
    closed.end()
    owner.closed(closed.watch, isCutShort: closed.isCutShort)
  }
}

let mayRead: @convention(c) (UnsafeMutableRawPointer?, Int32) -> interposed_turn = {
  loop, descriptor in
  guard let loop else { return INTERPOSED_READ }
  return Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef {
    $0.watched[descriptor]?.mayRead() ?? INTERPOSED_READ
  }
}

let noteRead: @convention(c) (UnsafeMutableRawPointer?, Int32, Int, Bool) -> Void = {
  loop, descriptor, size, isUnfinished in
  guard let loop else { return }
  Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef {
    $0.watched[descriptor]?.wasRead(size, isUnfinished: isUnfinished)
  }
}
