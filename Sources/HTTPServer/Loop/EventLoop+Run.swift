internal import CInterposition
internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// An accepted socket for a loop to take over.
struct HandedSocket: Sendable {
  let descriptor: Int32
  var address: sockaddr_storage
  let size: socklen_t
}

// The library could run the loop on a thread of its own. Its 0.9 series takes at most 128 events at once, and after
// exactly 128 it waits for more with the full time-out: with 128, 256 or 384 connections ready, 50 to 180 requests a
// second were left of 90,000. Driven from outside it never waits.
extension EventLoop {
  /// Starts the loop's thread.
  ///
  /// - Returns: False when the system lacks memory, descriptors or threads; `errno` may say which.
  func start() -> Bool {
    guard let daemon = makeDaemon() else { return false }
    let number = startThread { [self, loop = LoopHandle(daemon: daemon)] in run(loop.daemon) }
    if number != 0 {
      MHD_stop_daemon(daemon)
      errno = number
      return false
    }
    hasStarted.store(true, ordering: .releasing)
    return true
  }

  /// Gives an accepted socket to the loop, which owns it from now on and closes it, even if it cannot serve it.
  func hand(_ socket: HandedSocket) {
    handed.withLock { $0.append(socket) }
    wake.raise()
  }

  /// Wakes the loop to answer the newest probe of ``RunningServer/isResponsive(within:)``.
  func askForAnswer() { wake.raise() }

  /// Ends the thread and closes its connections; blocks while a handler runs.
  func stop() {
    guard hasStarted.load(ordering: .acquiring) else { return }
    isToEnd.store(true, ordering: .releasing)
    wake.raise()
    _ = ended.wait(milliseconds: -1)
  }

  private func run(_ daemon: OpaquePointer) {
    interpose_reads(reads)
    var entries = [
      pollfd(fd: chttp_epoll(daemon), events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while !isToEnd.load(ordering: .acquiring) {
      // `poll` fails only when interrupted, which is as good as a time-out.
      _ = poll(&entries, nfds_t(entries.count), parked.wait(chttp_wait(daemon)))
      roundBegan = MonotonicTime.coarse
      if entries[1].revents != 0 {
        wake.lower()
        takeOver(into: daemon)
        answeredProbe.store(shared.probe.load(ordering: .acquiring), ordering: .releasing)
        for number in kept.take() { parked.remove(number)?.settle() }
      }
      if roundBegan >= parked.nextLook {
        for connection in parked.removeOverdue(at: roundBegan) { connection.settle() }
      }
      // It does not wait, and goes on with what was resumed. Out of memory it fails, and the next round takes the events.
      _ = MHD_run(daemon)
    }
    takeOver(into: daemon)
    // The library aborts the process where a connection is still suspended.
    for connection in parked.removeAll() { connection.settle() }
    MHD_stop_daemon(daemon)
    releaseHandler()
    interpose_reads(nil)
    ended.raise()
  }

  private func takeOver(into daemon: OpaquePointer) {
    let sockets = handed.withLock { handed in
      defer { handed = [] }
      return handed
    }
    for socket in sockets {
      let before = openedCount
      var address = socket.address
      let isAdded = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          MHD_add_connection(daemon, socket.descriptor, $0, socket.size) == .YES
        }
      }
      // Where `noteConnection` already ran, `closed` has uncounted the connection.
      if !isAdded, openedCount == before { uncount() }
    }
  }
}

/// The daemon, handed to the loop's thread.
///
/// Unchecked: once the thread runs, no other touches the daemon.
private struct LoopHandle: @unchecked Sendable {
  let daemon: OpaquePointer
}
