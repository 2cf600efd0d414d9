import Testing

@testable import Domain

@Suite("Signatures of keys") struct KeySignatureTests {
  private static let names = [
    "쿠팡", "G마켓", "이마트", "배달의 민족", "알리익스프레스", "SSG닷컴", "나이키", "오늘의 소식지", "반려한마당", "하누플레이트",
    "든든도시락", "별빛서점", "무대티켓", "가을스테이", "노래항공", "전자랜딩", "바이트하우스", "아가월드샵", "꼬마상자", "힘비타", "온누리핏",
    "옷가게", "신발로", "피부담", "화사랑", "모아뱅크", "카드나루", "집단장", "꽃바다", "배움터", "말담영어", "닫힌몰", "coupang",
    "aliexpress", "gmarket", "baemin", "byte_house", "onnuri-fit", "mudaeticket", "jeonjaland",
  ].map { KeySequence(query: $0).keys }

  private func signature(_ keys: some Collection<UInt8>) -> KeySignature {
    KeySignature(keys, kind: .name)
  }

  @Test("every part of some keys passes")
  func parts() {
    for keys in Self.names {
      for start in keys.indices {
        for end in (start + 1)...keys.count {
          let part = keys[start..<end]
          #expect(signature(keys).mayHold(signature(part)))
          #expect(KeyTriples(keys).mayHold(KeyTriples(part)))
        }
      }
    }
  }

  @Test("whatever is nearly the keys passes")
  func near() {
    for keys in Self.names {
      var others = keys.indices.map { Array(keys[..<$0] + keys[($0 + 1)...]) }
      for index in keys.indices.dropLast() {
        var swapped = keys
        swapped.swapAt(index, index + 1)
        others.append(swapped)
      }
      for index in keys.indices {
        var other = keys
        other[index] = UInt8(ascii: "q")
        others.append(other)
        other.insert(contentsOf: "dnpfr".utf8, at: index)
        others.append(other)
      }
      for other in others where abs(other.count - keys.count) < 5 || other.count > keys.count {
        #expect(signature(keys).mayBeNear(signature(other), longest: 5, pairs: 13))
      }
    }
  }

  /// This is what makes a scan quick: without it the keys of every text would be looked at.
  @Test("the keys of few other texts are looked at")
  func others() {
    var (held, near, all) = (0, 0, 0)
    for one in Self.names {
      for two in Self.names where one != two {
        all += 1
        let part = one.prefix(5)
        if signature(two).mayHold(signature(part)), KeyTriples(two).mayHold(KeyTriples(part)) {
          held += 1
        }
        if signature(two).mayBeNear(signature(one), longest: 5, pairs: 7) { near += 1 }
      }
    }
    #expect(held * 50 < all && near * 25 < all, "\(held) and \(near) of \(all)")
  }
}
