import Foundation

/// Processors that this process may use.
func processorCount() -> Int {
  max(1, min(256, ProcessInfo.processInfo.activeProcessorCount))
}
