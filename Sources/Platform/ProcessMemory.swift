internal import CPlatform
internal import Glibc

/// Keeps what the process has in memory from being written anywhere.
public enum ProcessMemory {
  /// Has a fault of the program end it at once; call it before anything secret is read.
  ///
  /// Where Swift's backtracer is installed, its handlers would print registers and the memory that they
  /// point to, and ask at a terminal what else to show.
  public static func forbidBacktraces() { process_default_faults() }

  /// Has no core file written of this process, whatever ends it.
  ///
  /// The limit alone does not bind a handler that core files are piped to (core(5)). The process can also no
  /// longer be traced by another process of its user. Where the system refuses one of the two, the other
  /// still holds.
  public static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = process_forbid_dumps()
  }
}
