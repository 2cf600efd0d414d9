internal import Glibc
internal import Platform

/// The system's figures of this process, as Prometheus' own libraries count them.
struct ProcessFigures {
  /// Processor time in user and kernel mode, in seconds.
  let processorTime: Double
  /// Memory in bytes.
  let residentMemory: Double
  let virtualMemory: Double
  /// In seconds since 1970.
  let startTime: Double

  /// Reads `/proc/self/stat` and `/proc/stat`; nil if one cannot be read.
  init?() {
    guard let own = SmallFile.read("/proc/self/stat"), let system = SmallFile.read("/proc/stat"),
      // The name of the program, in parentheses, may hold any character.
      let nameEnd = own.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    // From the third field on (proc(5)).
    let fields = own[(nameEnd + 1)...].split(separator: UInt8(ascii: " ")).map(Self.number)
    let bootLine = system.split(separator: UInt8(ascii: "\n")).first {
      $0.starts(with: "btime ".utf8)
    }
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    guard fields.count > 21, ticks > 0, let userTime = fields[11], let kernelTime = fields[12],
      let start = fields[19], let virtualMemory = fields[20], let pages = fields[21],
      let boot = bootLine.flatMap({ Self.number($0.dropFirst(6)) })
    else { return nil }
    processorTime = (userTime + kernelTime) / ticks
    residentMemory = pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    self.virtualMemory = virtualMemory
    startTime = boot + start / ticks
  }

  /// How many descriptors are open; nil if `/proc` cannot be read.
  static var openDescriptors: Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Less `.`, `..` and the descriptor that reads the directory.
    return count - 3
  }

  /// How many descriptors may be open; nil if there is no limit.
  static var largestNumberOfDescriptors: Double? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur != .max
    else { return nil }
    return Double(limit.rlim_cur)
  }

  private static func number(_ text: some Collection<UInt8>) -> Double? {
    Double(String(decoding: text, as: UTF8.self))
  }
}
