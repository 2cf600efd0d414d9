internal import Glibc

/// Starts a detached thread.
///
/// - Parameter work: runs on the thread, which ends with it.
/// - Returns: 0, or the `errno` of the failure.
public func startThread(_ work: @escaping @Sendable () -> Void) -> Int32 {
  final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let box = Unmanaged.passRetained(Box(work))
  var thread = pthread_t()
  let result = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
      return nil
    }, box.toOpaque())
  if result != 0 { box.release() }
  return result
}
