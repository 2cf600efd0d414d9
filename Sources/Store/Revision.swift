/// What the rows are at: numbers that are drawn anew with each change of one kind.
///
/// They are drawn and not counted, so that a restored backup, changed again, never comes to a number that meant
/// something else.
package struct Revision: Equatable {
  /// Drawn with each change of what admins decide.
  package var knowledge: Int
  /// Drawn with each change of the log-outs.
  package var logOuts: Int

  /// Takes both numbers.
  package init(knowledge: Int, logOuts: Int) {
    self.knowledge = knowledge
    self.logOuts = logOuts
  }
}

/// Tells the halves of a view what of their memory still holds.
///
/// Most changes are uses, log-outs, sessions and counts, and touch nothing that is remembered. So a change of the
/// database's change counter, which costs some nanoseconds to ask, only leads to the question for the revision.
final class RevisionWatch {
  private let view: any TablesView
  /// The change counter at the last look; it tells apart what depends on any commit at all.
  private(set) var changeCounter = -1
  /// The revision at the last look.
  private(set) var revision = Revision(knowledge: 0, logOuts: 0)

  init(_ view: any TablesView) {
    self.view = view
  }

  /// Looks what has changed; what is read and remembered afterwards belongs to the revision that this finds.
  ///
  /// - Throws: the engine's error; then the next look asks again.
  func look() throws {
    let current = try view.changeCounter()
    guard current != changeCounter else { return }
    revision = try view.rows.revision()
    changeCounter = current
  }
}
