extension MetricsText {
  /// Writes the system's figures of this process, under the names that Prometheus' own libraries use.
  public mutating func writeProcess() {
    if let figures = ProcessFigures() {
      family(
        "process_cpu_seconds_total", .counter,
        help: "Total user and system CPU time spent in seconds.", value: figures.processorTime)
      family(
        "process_resident_memory_bytes", .gauge, help: "Resident memory size in bytes.",
        value: figures.residentMemory)
      family(
        "process_virtual_memory_bytes", .gauge, help: "Virtual memory size in bytes.",
        value: figures.virtualMemory)
      family(
        "process_start_time_seconds", .gauge,
        help: "Start time of the process since unix epoch in seconds.", value: figures.startTime)
    }
    if let open = ProcessFigures.openDescriptors {
      family(
        "process_open_fds", .gauge, help: "Number of open file descriptors.", value: Double(open))
    }
    if let limit = ProcessFigures.largestNumberOfDescriptors {
      family(
        "process_max_fds", .gauge, help: "Maximum number of open file descriptors.", value: limit)
    }
  }
}
