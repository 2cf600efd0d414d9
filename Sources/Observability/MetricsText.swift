/// Prometheus text, exposition format 0.0.4.
///
/// It knows families, samples and their format; its callers know what is measured.
public struct MetricsText {
  /// The type of a family's samples.
  public enum Kind: String {
    /// A sum that only grows.
    case counter
    /// A value that rises and falls.
    case gauge
  }

  /// Label names and their values, in the order in which they are written.
  public typealias Labels = [(name: String, value: String)]

  /// The media type of the text.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text in UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// Begins a text.
  public init() {}

  /// Writes a family of one sample without labels.
  public mutating func family(_ name: String, _ kind: Kind, help: String, value: Double) {
    family(name, kind, help: help, samples: [([], value)])
  }

  /// Writes a family; one without samples is left out.
  public mutating func family(
    _ name: String, _ kind: Kind, help: String, samples: [(labels: Labels, value: Double)]
  ) {
    guard !samples.isEmpty else { return }
    head(name, kind.rawValue, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  /// Writes a family of histograms; one without samples is left out.
  ///
  /// - Parameters:
  ///   - name: the family's name, with its unit.
  ///   - help: what is measured.
  ///   - bounds: the upper bounds of the buckets, rising.
  ///   - samples: the labels, how many values lie in each bucket and not in the previous one, those over all bounds
  ///     last, and the sum of all values.
  mutating func histogram(
    _ name: String, help: String, bounds: [Double],
    samples: [(labels: Labels, counts: [Int], sum: Double)]
  ) {
    guard !samples.isEmpty else { return }
    head(name, "histogram", help)
    for sample in samples {
      var total = 0
      for (bound, count) in zip(bounds + [.infinity], sample.counts) {
        total += count
        line(name + "_bucket", sample.labels + [("le", Self.number(bound))], Double(total))
      }
      line(name + "_sum", sample.labels, sample.sum)
      line(name + "_count", sample.labels, Double(total))
    }
  }

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    let text = help.replacing("\\", with: #"\\"#).replacing("\n", with: #"\n"#)
    write("# HELP \(name) \(text)\n# TYPE \(name) \(type)\n")
  }

  private mutating func line(_ name: String, _ labels: Labels, _ value: Double) {
    write(name)
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      write("{\(pairs.joined(separator: ","))}")
    }
    write(" \(Self.number(value))\n")
  }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
      .replacing("\n", with: #"\n"#)
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    guard value.isFinite else { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }
}
