internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// A connection and the request that is on it; there is never more than one at a time.
///
/// Only the worker's thread touches it.
final class Connection {
  private enum Phase {
    /// The request line has been read, the head has not been given yet.
    case head
    /// The body is coming, or the whole request is there.
    case body
    /// The answer has been given to the library.
    case answered
  }

  /// How many bytes over the limit of a body are read and thrown away before the request is
  /// answered without them.
  private static let largestDiscard = 1 << 20
  /// What has to be left of the library's memory for a request to be carried out, and what its
  /// trailers may take: without room for the head of the answer the library would hang up.
  private static let leastMemory = 768

  let worker: Worker
  let watch: Watch
  let request: Request
  private var phase = Phase.answered
  private var isBusy = false
  private var bodyLimit = 0
  /// What the head has left of the library's memory, at least.
  private var memoryLeft = 0
  private var isChunked = false
  private var discarded = 0
  /// Whether the client may still be sending when the connection is closed.
  private(set) var isCutShort = false
  /// Who the server is on this connection: a handshake may outlive a change of the server's own.
  private var identity: TLSIdentity?

  init(worker: Worker, descriptor: Int32) {
    self.worker = worker
    watch = Watch(descriptor: descriptor, idle: worker.settings.idleTimeout)
    request = Request(.other, "", id: "")
  }

  /// The certificate for the connection's handshake.
  func presentIdentity() -> TLSIdentity? {
    identity = worker.shared.identity.withLock { $0 }
    return identity
  }

  /// Takes the target before the library changes it.
  func begin(target: UnsafePointer<CChar>) {
    watch.begin(timeout: worker.settings.requestTimeout)
    worker.busy.add(1, ordering: .relaxed)
    isBusy = true
    phase = .head
    let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
    request.target.removeAll(keepingCapacity: true)
    request.target.append(contentsOf: bytes)
    request.pathSize = Request.pathSize(of: request.target)
    chttp_hide_query(target)
  }

  /// Takes the next step of the request that the library calls for.
  ///
  /// `size` says how much of the body there is, and is set to zero where it was taken.
  ///
  /// - Returns: Whether the connection goes on.
  func proceed(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, body: UnsafePointer<CChar>?, size: inout Int
  ) -> Bool {
    switch phase {
    case .head:
      return takeHead(connection, url: url, method: method, version: version)
    case .body where size > 0:
      defer { size = 0 }
      return takeBody(UnsafeRawBufferPointer(start: body, count: size), on: connection)
    case .body:
      watch.received()
      guard !isChunked || takeTrailers(connection) else {
        return refuse(.headersTooLarge(limit: worker.settings.headerLimit), on: connection)
      }
      guard !worker.isOverloaded else {
        return send(worker.handler.refuse(request, for: .overloaded), on: connection)
      }
      return send(worker.handler.respond(to: request), on: connection)
    case .answered:
      size = 0
      return true
    }
  }

  /// The request is over, answered or not.
  func end() {
    guard isBusy else { return }
    isBusy = false
    worker.busy.subtract(1, ordering: .relaxed)
    watch.end(timeout: worker.settings.idleTimeout)
    // Someone may wait to take the place of this connection.
    if worker.shared.isFull.load(ordering: .relaxed) { worker.shared.wake.raise() }
    request.fields = .plain([])
    request.match = nil
    request.bodyTooLarge = false
    // A body of the usual size leaves its room for the next one.
    request.body.removeAll(keepingCapacity: request.body.capacity <= 16384)
    discarded = 0
    phase = .answered
  }

  private func takeHead(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>
  ) -> Bool {
    let head = request.target.withUnsafeBytes { target in
      chttp_scan(
        connection, method, url, target.baseAddress?.assumingMemoryBound(to: CChar.self),
        target.count, version, worker.settings.showsLayout, worker.settings.memoryLimit)
    }
    request.method = Method(name: UnsafeRawBufferPointer(start: method, count: strlen(method)))
    request.fields = .received(connection)
    request.isIDOfCaller = head.request_id != nil
    if let id = head.request_id {
      request.identifier.removeAll(keepingCapacity: true)
      request.identifier.append(
        contentsOf: UnsafeRawBufferPointer(start: id, count: head.request_id_size))
    } else {
      worker.writeIdentifier(into: &request.identifier)
    }
    if let fault = head.fault {
      return refuse(.malformedRequest(reason: String(cString: fault)), on: connection)
    }
    let memory = worker.settings.memoryLimit
    guard head.size <= worker.settings.headerLimit, head.memory + Self.leastMemory <= memory else {
      return refuse(.headersTooLarge(limit: worker.settings.headerLimit), on: connection)
    }
    memoryLeft = memory - head.memory
    isChunked = head.chunked
    bodyLimit = worker.handler.prepare(request)
    phase = .body
    guard head.has_length, head.content_length > bodyLimit else {
      if head.has_length { request.body.reserveCapacity(Int(head.content_length)) }
      return true
    }
    request.bodyTooLarge = true
    let excess = head.content_length - UInt64(bodyLimit)
    guard head.expects_continue || excess > Connection.largestDiscard else { return true }
    isCutShort = true
    watch.received()
    return send(worker.handler.respond(to: request), on: connection)
  }

  /// Looks at what came behind a chunked body, which the library keeps, and which nobody reads.
  ///
  /// - Returns: Whether there is room for the answer after it.
  private func takeTrailers(_ connection: OpaquePointer) -> Bool {
    let size = chttp_trailers(connection)
    memoryLeft -= size
    return size <= Self.leastMemory && memoryLeft >= Self.leastMemory
  }

  private func refuse(_ problem: Problem, on connection: OpaquePointer) -> Bool {
    watch.received()
    return sendDirectly(worker.handler.refuse(request, for: problem), on: connection)
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer, on connection: OpaquePointer) -> Bool {
    let room = min(bytes.count, bodyLimit - request.body.count)
    request.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<room]))
    guard room < bytes.count else { return true }
    request.bodyTooLarge = true
    discarded += bytes.count - room
    guard discarded > Connection.largestDiscard else { return true }
    // The library takes no answer in the middle of a body.
    return sendDirectly(worker.handler.respond(to: request), on: connection)
  }

  /// Sends an answer around the library, and ends the connection.
  private func sendDirectly(_ response: Response, on connection: OpaquePointer) -> Bool {
    isCutShort = true
    phase = .answered
    let bytes = serialize(
      checked(response), id: request.identifier, withBody: request.method != .head)
    if worker.shared.isSecure {
      guard let session = chttp_session(connection) else { return false }
      sendSecurely(bytes, on: OpaquePointer(session))
      return false
    }
    // The socket's buffer is empty, since nothing of an answer was sent; what does not fit is lost
    // with the connection, as it would be to a client that does not read.
    _ = bytes.withUnsafeBytes {
      Glibc.send(
        watch.descriptor, $0.baseAddress, $0.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return false
  }

  private func send(_ response: Response, on connection: OpaquePointer) -> Bool {
    guard headSize(of: response, id: request.identifier) <= memoryLeft else {
      return sendDirectly(response, on: connection)
    }
    phase = .answered
    let closes = isCutShort || worker.shared.isStopping.load(ordering: .relaxed)
    if queue(response, id: request.identifier, closes: closes, on: connection) { return true }
    let fault = worker.handler.refuse(request, for: .internalFault)
    return queue(fault, id: request.identifier, closes: true, on: connection)
  }

  private func checked(_ response: Response) -> Response {
    isSendable(response) ? response : worker.handler.refuse(request, for: .internalFault)
  }
}
