import Foundation
import Platform
import Testing

@Suite("A queue between threads") struct WorkQueueTests {
  @Test("it hands out what was put in, in order, and no more at once than is asked for")
  func order() {
    let queue = WorkQueue<Int>(limit: 10)
    for number in 0..<5 { #expect(queue.put(number)) }
    #expect(queue.take(atMost: 2) == [0, 1])
    #expect(queue.put(5))
    #expect(queue.take(atMost: 10) == [2, 3, 4, 5])
  }

  @Test("a full queue takes nothing more until something is taken out")
  func full() {
    let queue = WorkQueue<Int>(limit: 2)
    #expect(queue.put(0) && queue.put(1) && !queue.put(2))
    #expect(queue.take(atMost: 1) == [0])
    #expect(queue.put(3))
    #expect(queue.take(atMost: 9) == [1, 3])
  }

  @Test("a closed queue hands out what is in it and then nothing")
  func closed() {
    let queue = WorkQueue<Int>(limit: 2)
    #expect(queue.put(0))
    queue.close()
    #expect(!queue.put(1))
    #expect(queue.take(atMost: 1) == [0])
    #expect(queue.take(atMost: 1).isEmpty)
  }

  @Test("whoever takes waits until something is put in or the queue is closed")
  func waits() {
    let (queue, taken) = (WorkQueue<Int>(limit: 1000), Locked<[Int]>([]))
    let ended = WorkQueue<Bool>(limit: 4)
    for _ in 0..<4 {
      _ = startThread {
        while let number = queue.take(atMost: 1).first { taken.withLock { $0.append(number) } }
        _ = ended.put(true)
      }
    }
    for number in 0..<500 {
      #expect(queue.put(number))
      if number % 100 == 0 { usleep(2000) }
    }
    queue.close()
    var count = 0
    while count < 4 { count += ended.take(atMost: 4).count }
    #expect(taken.withLock { $0.sorted() } == Array(0..<500))
  }
}
