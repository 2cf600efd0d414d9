internal import CProcess
internal import Glibc

/// What the process keeps from whoever could look into it: its memory holds keys.
public enum ProcessSecrecy {
  /// Has a fault of the program end it at once, before anything secret is read.
  ///
  /// Where Swift's backtracer is installed, its handlers would print registers and the memory that they
  /// point to, and ask at a terminal what else to show.
  public static func forbidBacktraces() { shim_default_faults() }

  /// Has no core file written of this process, whatever ends it: its memory holds keys.
  ///
  /// The limit alone does not bind a handler that core files are piped to (core(5)). The process can no
  /// longer be traced by another one of its user either. Where the system refuses either, the other
  /// one still holds.
  public static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = shim_forbid_dumps()
  }
}
