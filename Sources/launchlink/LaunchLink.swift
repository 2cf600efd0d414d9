import Glibc
import LaunchCommand

/// The program: it runs the command that the process was started with.
@main
enum LaunchLink {
  static func main() {
    exit(Program.process.run())
  }
}
