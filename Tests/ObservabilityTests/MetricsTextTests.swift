import Testing

@testable import Observability

@Suite struct MetricsTextTests {
  private func text(_ write: (inout MetricsText) -> Void) -> String {
    var text = MetricsText()
    write(&text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func aFamily() {
    let text = text {
      $0.family(
        "x_total", .counter, help: "What \\ it\nis.",
        samples: [([("a", "q\"b\\s\nn"), ("b", "2")], 3), ([], 0.25)])
    }
    #expect(
      text == """
        # HELP x_total What \\\\ it\\nis.
        # TYPE x_total counter
        x_total{a="q\\"b\\\\s\\nn",b="2"} 3
        x_total 0.25

        """)
  }

  @Test func aFamilyWithoutSamplesIsLeftOut() {
    #expect(text { $0.family("x", .gauge, help: "x", samples: []) } == "")
    #expect(text { $0.histogram("x", help: "x", bounds: [1], samples: []) } == "")
  }

  @Test func bucketsAddUp() {
    let text = text {
      $0.histogram(
        "x_seconds", help: "x", bounds: [0.5, 1],
        samples: [([("a", "1")], counts: [2, 0, 3], sum: 7.5)])
    }
    #expect(
      text == """
        # HELP x_seconds x
        # TYPE x_seconds histogram
        x_seconds_bucket{a="1",le="0.5"} 2
        x_seconds_bucket{a="1",le="1"} 2
        x_seconds_bucket{a="1",le="+Inf"} 5
        x_seconds_sum{a="1"} 7.5
        x_seconds_count{a="1"} 5

        """)
  }

  @Test func numbers() {
    let text = text {
      $0.family(
        "x", .gauge, help: "x",
        samples: [.nan, .infinity, -.infinity, 1e15, 1_796_014_121.903].map { ([], $0) })
    }
    #expect(
      text.split(separator: "\n").dropFirst(2).map { $0.dropFirst(2) } == [
        "NaN", "+Inf", "-Inf", "1000000000000000", "1796014121.903",
      ])
  }

  @Test func durationsFallIntoTheirBuckets() {
    var histogram = Histogram()
    for duration in [0, 50_000, 50_001, 10_000_000_000, 10_000_000_001] as [UInt64] {
      histogram.observe(duration)
    }
    #expect(histogram.count == 5)
    #expect(histogram.counts.prefix(2) == [2, 1])
    #expect(histogram.counts.suffix(2) == [1, 1])
    #expect(histogram.sum == 20_000_100_002)
  }
}
