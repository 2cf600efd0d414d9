import CLI
import Glibc
import Platform

/// The program: it runs the command that the process was started with.
@main
enum LaunchLink {
  static func main() {
    ProcessMemory.forbidBacktraces()
    // A limit on the size of files is a failure to write like any other, to be told, not a death.
    signal(SIGXFSZ, SIG_IGN)
    ProcessMemory.forbidCoreDumps()
    TemporaryFile.removeAllOnSignals()
    exit(Program.runProcess())
  }
}
