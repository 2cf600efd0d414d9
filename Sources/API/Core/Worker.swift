internal import Cryptography
internal import Domain
internal import Observability
internal import Synchronization

/// The state of one worker thread: its view of the store, its random generator, its meter.
final class Worker {
  let service: LaunchService
  let meter: Meter
  var generator = SecureRandom()
  /// How many API keys are about to expire, and when that was counted.
  var knownExpiringKeys: (count: Int, at: Timestamp)?
  let currentReader: CurrentReader
  private var settings: ServiceSettings
  private var generation: Int

  init(_ service: LaunchService) {
    self.service = service
    currentReader = CurrentReader(of: service.store)
    meter = service.meters.makeMeter()
    generation = service.generation.load(ordering: .acquiring)
    settings = service.settings
  }

  /// The settings of requests that begin now; without a reload this costs one atomic load.
  func currentSettings() -> ServiceSettings {
    let newest = service.generation.load(ordering: .acquiring)
    if newest != generation {
      generation = newest
      settings = service.settings
    }
    return settings
  }
}
