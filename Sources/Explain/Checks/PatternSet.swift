internal import Domain

/// A set of texts that one pass over a text finds, however many there are (the automaton of Aho and
/// Corasick, 1975).
struct PatternSet {
  /// The next node for a node and a byte, by `node << 8 | byte`; the root is 0.
  private var edges: [UInt64: Int] = [:]
  /// The node of the longest proper suffix that begins a pattern, by node.
  private var failures: [Int] = [0]
  /// The length of the longest pattern that ends at a node; 0 where none does.
  private var longest: [Int] = [0]

  /// The length of the shortest pattern; nil where there is none.
  let shortest: Int?

  init(_ patterns: some Sequence<String>) {
    var depths = [0]
    var parents = [0]
    var labels: [UInt8] = [0]
    var shortest: Int?
    for pattern in patterns where !pattern.utf8.isEmpty {
      var node = 0
      for byte in pattern.utf8 {
        let edge = UInt64(node) << 8 | UInt64(byte)
        if let next = edges[edge] {
          node = next
          continue
        }
        parents.append(node)
        labels.append(byte)
        depths.append(depths[node] + 1)
        longest.append(0)
        failures.append(0)
        node = parents.count - 1
        edges[edge] = node
      }
      longest[node] = depths[node]
      shortest = min(shortest ?? .max, depths[node])
    }
    self.shortest = shortest
    link(depths: depths, parents: parents, labels: labels)
  }

  /// Links every node to its longest suffix, in order of depth.
  private mutating func link(depths: [Int], parents: [Int], labels: [UInt8]) {
    var byDepth = Array(repeating: [Int](), count: (depths.max() ?? 0) + 1)
    for (node, depth) in depths.enumerated() { byDepth[depth].append(node) }
    for node in byDepth.dropFirst(2).joined() {
      failures[node] = follow(labels[node], from: failures[parents[node]])
      longest[node] = max(longest[node], longest[failures[node]])
    }
  }

  private func follow(_ byte: UInt8, from node: Int) -> Int {
    var node = node
    while true {
      if let next = edges[UInt64(node) << 8 | UInt64(byte)] { return next }
      if node == 0 { return 0 }
      node = failures[node]
    }
  }

  /// Whether `text` contains one of the patterns.
  func isFound(in text: String) -> Bool {
    guard let shortest, shortest <= text.utf8.count else { return false }
    var node = 0
    for byte in text.utf8 {
      node = follow(byte, from: node)
      if longest[node] > 0 { return true }
    }
    return false
  }

  /// The text with `mask` in place of every range that patterns cover.
  func masked(_ text: String, by mask: String) -> String {
    guard let shortest, shortest <= text.utf8.count else { return text }
    let bytes = Array(text.utf8)
    var isCovered = Array(repeating: false, count: bytes.count)
    var lengths = Array(repeating: 0, count: bytes.count)
    var node = 0
    for (index, byte) in bytes.enumerated() {
      node = follow(byte, from: node)
      lengths[index] = longest[node]
    }
    var start = bytes.count
    for index in bytes.indices.reversed() {
      if lengths[index] > 0 { start = min(start, index + 1 - lengths[index]) }
      isCovered[index] = index >= start
      if index <= start { start = bytes.count }
    }
    guard isCovered.contains(true) else { return text }
    var output: [UInt8] = []
    for index in bytes.indices {
      if !isCovered[index] {
        output.append(bytes[index])
      } else if index == 0 || !isCovered[index - 1] {
        output += Array(mask.utf8)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
