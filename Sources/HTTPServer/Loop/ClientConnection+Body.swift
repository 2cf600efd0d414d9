/// Where the body of a request is kept: in the buffer that the loop lends, or in memory that is reserved for it.
extension ClientConnection {
  /// Reserves memory until the request has `size` bytes of it.
  func reserve(_ size: Int) -> Bool {
    guard loop.shared.bodies.reserve(size - reserved) else { return false }
    reserved = size
    request.body.reserveCapacity(size)
    return true
  }

  /// Gives the loop its buffer back and keeps the body.
  ///
  /// The promise has begun, so nothing is refused where body memory is short; others wait for it instead.
  func keepBody() {
    guard borrowsBuffer else { return }
    let body = Array(request.body[...])
    returnBuffer()
    request.body = body
    reserved = body.count
    loop.shared.bodies.take(reserved)
  }

  private func returnBuffer() {
    guard borrowsBuffer else { return }
    borrowsBuffer = false
    request.body.removeAll(keepingCapacity: true)
    swap(&request.body, &loop.bodyBuffer)
  }

  func dropBody() {
    returnBuffer()
    request.body = []
    guard reserved > 0 else { return }
    loop.shared.bodies.release(reserved)
    reserved = 0
  }
}
