internal import CMicroHTTPD
internal import Glibc

// What libmicrohttpd calls, always on the thread of the worker that `worker` points to.

let beginRequest:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { _, target, connection in
      guard let target, let state = chttp_attached(connection) else { return nil }
      Unmanaged<Connection>.fromOpaque(state)._withUnsafeGuaranteedRef { $0.begin(target: target) }
      return state
    }

let handleRequest: MHD_AccessHandlerCallback = {
  _, connection, url, method, version, body, size, state in
  guard let connection, let url, let method, let version, let size, let state = state?.pointee
  else { return .NO }
  let goesOn = Unmanaged<Connection>.fromOpaque(state)._withUnsafeGuaranteedRef {
    $0.proceed(
      connection, url: url, method: method, version: version, body: body, size: &size.pointee)
  }
  return goesOn ? .YES : .NO
}

let completeRequest: MHD_RequestCompletedCallback = { _, _, state, _ in
  guard let state = state?.pointee else { return }
  Unmanaged<Connection>.fromOpaque(state)._withUnsafeGuaranteedRef { $0.end() }
}

let noteConnection: MHD_NotifyConnectionCallback = { worker, connection, state, event in
  guard let worker, let connection, let state else { return }
  let owner = Unmanaged<Worker>.fromOpaque(worker).takeUnretainedValue()
  if chttp_is_opened(event) {
    if chttp_client(connection)?.pointee.sa_family == sa_family_t(AF_UNIX) {
      owner.noteProbe()
      return
    }
    let opened = Connection(worker: owner, descriptor: chttp_descriptor(connection))
    owner.opened(opened.watch)
    state.pointee = Unmanaged.passRetained(opened).toOpaque()
  } else if let opened = state.pointee {
    let closed = Unmanaged<Connection>.fromOpaque(opened).takeRetainedValue()
    state.pointee = nil
    closed.end()
    owner.closed(closed.watch, isCutShort: closed.isCutShort)
  }
}

let mayRead: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Bool = { worker, descriptor in
  guard let worker else { return true }
  return Unmanaged<Worker>.fromOpaque(worker)._withUnsafeGuaranteedRef {
    $0.watched[descriptor]?.mayRead() ?? true
  }
}

let noteRead: @convention(c) (UnsafeMutableRawPointer?, Int32, Int, Bool) -> Void = {
  worker, descriptor, size, isUnfinished in
  guard let worker else { return }
  Unmanaged<Worker>.fromOpaque(worker)._withUnsafeGuaranteedRef {
    $0.watched[descriptor]?.wasRead(size, isUnfinished: isUnfinished)
  }
}
