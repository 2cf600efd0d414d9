import Glibc
import CLI

/// The program: it runs the command that the process was started with.
@main
enum LaunchLink {
  static func main() {
    Program.forbidBacktraces()
    // A limit on the size of files is a failure to write like any other, to be told, not a death.
    signal(SIGXFSZ, SIG_IGN)
    Program.forbidCoreDumps()
    Program.removeTemporaryFilesOnSignals()
    exit(Program.runProcess())
  }
}
