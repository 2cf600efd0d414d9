import Glibc
import CLI
import Serving

/// The program: it runs the command that the process was started with.
@main
enum LaunchLink {
  static func main() {
    ProcessSecrecy.forbidBacktraces()
    // A limit on the size of files is a failure to write like any other, to be told, not a death.
    signal(SIGXFSZ, SIG_IGN)
    ProcessSecrecy.forbidCoreDumps()
    Program.removeTemporaryFilesOnSignals()
    exit(Program.runProcess())
  }
}
