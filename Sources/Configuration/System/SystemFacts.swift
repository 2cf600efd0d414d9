import Foundation

/// The number of processors that this process may use, from 1 to 256.
func processorCount() -> Int {
  max(1, min(256, ProcessInfo.processInfo.activeProcessorCount))
}
