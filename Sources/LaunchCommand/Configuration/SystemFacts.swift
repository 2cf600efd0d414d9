import Glibc

/// Processors that this process may use.
func processorCount() -> Int {
  max(1, min(256, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
