@main
enum LaunchLink {
  static func main() {}
}
