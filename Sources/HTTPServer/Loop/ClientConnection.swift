internal import CHTTPHead
internal import CInterposition
internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// A client's connection and its current request; it has one at a time.
///
/// Only the loop's thread touches it.
final class ClientConnection {
  enum Phase {
    /// The request line is read; the head is still to come.
    case head
    /// The body arrives, or the request is whole.
    case body
    /// The answer was sent before the body, which is discarded.
    case discarding
    /// The answer is promised, and the connection suspended.
    case parked
    /// The promised answer is there, and the connection resumed; the library is about to ask for the answer.
    case kept
    /// The library has the answer, or no request has begun.
    case answered
  }

  /// The most bytes of a body that are read and discarded after its request is answered.
  private static let largestDiscard = 1 << 20
  /// The bytes that a request has to leave of the library's memory, and the most that its trailers may take:
  /// without room for the head of the answer the library hangs up.
  private static let leastMemory = 768
  /// A piece of chunked framing, such as a chunk-size line, that fills the library's buffer is refused from this
  /// size on, in bytes.
  private static let leastElement = 1024
  /// Bytes of chunked framing that are free; framing beyond them counts towards the body's limit.
  private static let freeFraming = 1024
  /// The bytes of body memory that are reserved before any of a body arrives.
  private static let firstPiece = 1024
  /// The largest answer body that is written around the library, in bytes: it fits into the socket's buffer.
  private static let largestAtOnce = 8192

  let loop: EventLoop
  let watch: ConnectionWatch
  let request: Request
  var phase = Phase.answered
  /// The request whose answer is promised, if it is.
  var parked: ParkedRequest?
  private var isBusy = false
  /// Whether the loop's `busy` counts the request.
  private var isCounted = false
  /// The size of the target as received, and the fault of its scheme and authority, which are not kept.
  private var wholeTargetSize = 0
  private var targetFault: UnsafePointer<CChar>?
  /// The library's connection, from the head of a request to its end.
  private(set) var handle: OpaquePointer?
  private var bodyLimit = 0
  /// The largest size of the body: its Content-Length, or the limit for a chunked one.
  private var largestBody = 0
  /// The bytes of the library's memory that the head leaves, at least.
  private var memoryLeft = 0
  private(set) var isChunked = false
  /// Where the library's buffer begins while it reads the body.
  private var bodyStart: UnsafeRawPointer?
  /// The bytes of the body that the library has passed on, kept or discarded.
  private var taken = 0
  /// The bytes of a chunked body that were read, framing included.
  private var received = 0
  /// Whether an unfinished piece of framing fills the library's buffer.
  private var isOverfull = false
  /// The bytes of body memory that the request has reserved.
  var reserved = 0
  /// Whether the body is in the buffer that the loop lends.
  var borrowsBuffer = false
  /// The loop's number of reads when the previous request ended.
  private var readsBefore: UInt = 0
  /// Whether the connection is closed while the client may still be sending.
  private(set) var isCutShort = false
  /// The certificate of this connection: a handshake may outlive its replacement.
  private var identity: TLSIdentity?

  init(loop: EventLoop, descriptor: Int32) {
    self.loop = loop
    watch = ConnectionWatch(descriptor: descriptor, idle: loop.settings.idleTimeout)
    request = Request(.other, "", id: "")
  }

  /// The certificate for the connection's handshake.
  func presentIdentity() -> TLSIdentity? {
    identity = loop.shared.identity.withLock { $0 }
    return identity
  }

  /// Begins a request and copies its target, which the library changes later.
  func begin(target: UnsafePointer<CChar>) {
    watch.begin(timeout: loop.settings.requestTimeout)
    loop.busy.add(1, ordering: .relaxed)
    isBusy = true
    isCounted = true
    phase = .head
    let split = http_target_split(target, strlen(target))
    wholeTargetSize = split.size
    targetFault = split.fault
    let bytes = UnsafeRawBufferPointer(start: split.path, count: split.path_size)
    request.target.removeAll(keepingCapacity: true)
    // In absolute form a path may be left out (RFC 9110 section 4.2.3).
    if split.size > bytes.count, bytes.first != UInt8(ascii: "/") {
      request.target.append(UInt8(ascii: "/"))
    }
    request.target.append(contentsOf: bytes)
    request.pathSize = Request.pathSize(of: request.target)
    chttp_hide_query(target)
  }

  /// Takes the next step of a request: the library calls it for the head, for each piece of the body and at the
  /// end.
  ///
  /// `size` is the number of bytes in `body`; it is set to 0 once they are taken.
  ///
  /// - Returns: False to close the connection.
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
        return reject(.headersTooLarge(limit: loop.settings.headerLimit), on: connection)
      }
      request.hasUnseenBody = request.bodyTooLarge
      return give(reply(), as: .whole, on: connection)
    case .discarding where size > 0:
      isOverfull = false
      taken += size
      size = 0
      return taken <= ClientConnection.largestDiscard
    case .discarding:
      isCutShort = false
      return false
    case .kept:
      return sendKept(on: connection)
    case .parked, .answered:
      size = 0
      return true
    }
  }

  /// Ends the request, answered or not.
  func end() {
    guard isBusy else { return }
    isBusy = false
    uncount()
    watch.end(timeout: loop.settings.idleTimeout)
    makeRoom()
    forgetParked()
    if isChunked { loop.unwatchReads(of: self) }
    isChunked = false
    handle = nil
    request.fields = .plain([])
    request.match = nil
    request.bodyTooLarge = false
    dropBody()
    // An idle connection keeps no large target.
    if request.target.capacity > 1024 { request.target = [] }
    taken = 0
    received = 0
    isOverfull = false
    readsBefore = loop.reads.pointee.count
    phase = .answered
  }

  /// Wakes the supervisor when new connections wait for one to become idle.
  private func makeRoom() {
    if loop.shared.isFull.load(ordering: .relaxed) { loop.shared.wake.raise() }
  }

  private func uncount() {
    guard isCounted else { return }
    isCounted = false
    loop.busy.subtract(1, ordering: .relaxed)
  }

  private func takeHead(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>
  ) -> Bool {
    let head = request.target.withUnsafeBytes { target in
      chttp_scan(
        connection, method, url, target.baseAddress?.assumingMemoryBound(to: CChar.self),
        target.count, wholeTargetSize, targetFault, version, loop.settings.showsLayout,
        loop.settings.memoryLimit)
    }
    handle = connection
    watch.receivedHead()
    request.method = Method(name: UnsafeRawBufferPointer(start: method, count: strlen(method)))
    request.fields = .received(connection)
    request.hasUnseenBody = head.fault != nil || head.chunked || head.content_length > 0
    request.isIDOfCaller = head.request_id != nil
    if let id = head.request_id {
      request.identifier.removeAll(keepingCapacity: true)
      request.identifier.append(
        contentsOf: UnsafeRawBufferPointer(start: id, count: head.request_id_size))
    } else {
      loop.writeIdentifier(into: &request.identifier)
    }
    if let fault = head.fault {
      return reject(.malformedRequest(reason: String(cString: fault)), on: connection)
    }
    let memory = loop.settings.memoryLimit
    // When framing fills the library's buffer, the buffer has to be able to grow, or nothing more is read.
    let least = Self.leastMemory + (head.chunked ? 256 : 0)
    guard head.size <= loop.settings.headerLimit, head.memory + least <= memory else {
      return reject(.headersTooLarge(limit: loop.settings.headerLimit), on: connection)
    }
    memoryLeft = memory - head.memory
    bodyLimit = loop.handler.prepare(request)
    phase = .body
    guard head.chunked || head.content_length > 0 else { return true }
    bodyStart = UnsafeRawPointer(method) + head.size
    return expectBody(head, on: connection)
  }

  /// Decides what happens to the body that the head announces.
  private func expectBody(_ head: http_head, on connection: OpaquePointer) -> Bool {
    let length = Int(clamping: head.content_length)
    if !head.chunked, !head.expects_continue, length <= readBehindHead {
      // The loop answers it before it does anything else.
      borrowsBuffer = true
      swap(&request.body, &loop.bodyBuffer)
      return true
    }
    if head.chunked {
      guard loop.reads.pointee.count > 0 else {
        return reject(.malformedRequest(reason: "Send Content-Length."), on: connection)
      }
      isChunked = true
      received = readBehindHead
      loop.watchReads(of: self)
    }
    let delivery = Delivery.beforeBody(expectsContinue: head.expects_continue)
    guard bodyLimit > 0 else { return give(reply(), as: delivery, on: connection) }
    if let refusal = loop.handler.admit(request) {
      return give(.now(refusal), as: delivery, on: connection)
    }
    if length > bodyLimit {
      request.bodyTooLarge = true
      return give(reply(), as: delivery, on: connection)
    }
    largestBody = head.chunked ? bodyLimit : length
    guard head.chunked || reserve(min(length, Self.firstPiece)) else {
      let refusal = loop.handler.reject(request, for: .outOfBodyMemory)
      return give(.now(refusal), as: delivery, on: connection)
    }
    return true
  }

  /// The bytes that the last read brought behind the head.
  ///
  /// 0 for a head that came behind another request: the library has moved its bytes.
  private var readBehindHead: Int {
    let reads = loop.reads.pointee
    guard reads.descriptor == watch.descriptor, reads.count > readsBefore, let bodyStart,
      let end = reads.end
    else { return 0 }
    return max(0, UnsafeRawPointer(end) - bodyStart)
  }

  /// Counts the trailers of a chunked body, which the library keeps and nobody reads.
  ///
  /// - Returns: Whether they leave room for the answer.
  private func takeTrailers(_ connection: OpaquePointer) -> Bool {
    let size = chttp_trailers(connection)
    memoryLeft -= size
    return size <= Self.leastMemory && memoryLeft >= Self.leastMemory
  }

  private func reply() -> Reply {
    loop.isOverloaded
      ? .now(loop.handler.reject(request, for: .overloaded)) : loop.handler.respond(to: request)
  }

  private func reject(_ rejection: Rejection, on connection: OpaquePointer) -> Bool {
    watch.received()
    return answerAndClose(loop.handler.reject(request, for: rejection), on: connection)
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer, on connection: OpaquePointer) -> Bool {
    isOverfull = false
    taken += bytes.count
    let size = taken + framing(before: bytes.baseAddress.map { $0 + bytes.count })
    guard size <= bodyLimit else {
      request.bodyTooLarge = true
      dropBody()
      // With Content-Length, only a body that came whole with its head gets here; the next call answers it.
      guard isChunked else { return true }
      return give(reply(), as: .amidBody, on: connection)
    }
    guard
      borrowsBuffer || taken <= reserved
        || reserve(min(largestBody, max(Self.firstPiece, 2 * taken)))
    else {
      dropBody()
      return answerAndDiscardBody(
        loop.handler.reject(request, for: .outOfBodyMemory), on: connection)
    }
    request.body.append(contentsOf: bytes)
    return true
  }

  /// The framing bytes of a chunked body up to `end`, where the library's last piece ends, less the free ones.
  private func framing(before end: UnsafeRawPointer?) -> Int {
    guard isChunked, let end else { return 0 }
    let reads = loop.reads.pointee
    guard reads.descriptor == watch.descriptor, let last = reads.end else { return 0 }
    return max(0, received - (UnsafeRawPointer(last) - end) - taken - Self.freeFraming)
  }

  /// Sends an answer before the body, and discards the body, so that a client that reads only after it has sent all
  /// still gets the answer.
  func answerBeforeBody(
    _ response: Response, expectsContinue: Bool, on connection: OpaquePointer
  ) -> Bool {
    // Around the library, 100 Continue would still follow, and a large answer would not fit into the socket's
    // buffer.
    guard !expectsContinue, response.body.count <= Self.largestAtOnce else {
      watch.received()
      isCutShort = true
      return send(response, on: connection)
    }
    return answerAndDiscardBody(response, on: connection)
  }

  /// Writes an answer around the library, which takes none in the middle of a body, and discards the rest of the
  /// body.
  func answerAndDiscardBody(_ response: Response, on connection: OpaquePointer) -> Bool {
    watch.received()
    isCutShort = true
    write(response, on: connection)
    _ = shutdown(watch.descriptor, Int32(SHUT_WR))
    phase = .discarding
    taken = 0
    received = 0
    uncount()
    watch.answered()
    makeRoom()
    return true
  }

  /// Writes an answer around the library, and closes the connection.
  private func answerAndClose(_ response: Response, on connection: OpaquePointer) -> Bool {
    isCutShort = true
    phase = .answered
    write(response, on: connection)
    return false
  }

  /// Writes an answer with `Connection: close` to the socket.
  private func write(_ response: Response, on connection: OpaquePointer) {
    let bytes = serialize(
      checked(response), id: request.identifier, withBody: request.method != .head)
    if loop.shared.isSecure {
      guard let session = chttp_session(connection) else { return }
      sendSecurely(bytes, on: OpaquePointer(session))
      return
    }
    // The socket's buffer is empty, since no answer is under way. What does not fit is lost, as for a client that
    // does not read.
    _ = bytes.withUnsafeBytes {
      Glibc.send(
        watch.descriptor, $0.baseAddress, $0.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
  }

  func send(_ response: Response, on connection: OpaquePointer) -> Bool {
    guard headSize(of: response, id: request.identifier) <= memoryLeft else {
      return answerAndClose(response, on: connection)
    }
    phase = .answered
    let closes = isCutShort || loop.shared.isStopping.load(ordering: .relaxed)
    if queue(response, id: request.identifier, closes: closes, on: connection) { return true }
    let fault = loop.handler.reject(request, for: .internalFault)
    return queue(fault, id: request.identifier, closes: true, on: connection)
  }

  private func checked(_ response: Response) -> Response {
    isSendable(response) ? response : loop.handler.reject(request, for: .internalFault)
  }
}

/// Counts what the library reads of a chunked body: it passes on the data without the framing.
extension ClientConnection {
  /// Whether the library may read on.
  ///
  /// When a piece of framing does not fit into its buffer, the library neither answers nor hangs up, and its loop
  /// spins; so the request is answered here.
  func mayRead() -> interposed_turn {
    if phase == .kept { return INTERPOSED_WAIT }
    let isEndless = phase == .discarding && received > ClientConnection.largestDiscard
    guard isOverfull || isEndless, let handle else { return INTERPOSED_READ }
    isCutShort = true
    guard phase == .body else { return INTERPOSED_END }
    request.bodyTooLarge = true
    dropBody()
    watch.received()
    switch loop.handler.respond(to: request) {
    case .now(let response): _ = answerAndClose(response, on: handle)
    case .later(let promise): _ = answerAndClose(promise.makeAnswer(), on: handle)
    }
    return INTERPOSED_END
  }

  /// Counts a read.
  ///
  /// - Parameters:
  ///   - size: The bytes that were read.
  ///   - isUnfinished: Whether they fill the library's buffer and end in the middle of a line.
  func wasRead(_ size: Int, isUnfinished: Bool) {
    received += size
    guard isUnfinished, let bodyStart, let end = loop.reads.pointee.end else { return }
    isOverfull = UnsafeRawPointer(end) - bodyStart >= Self.leastElement
  }
}
