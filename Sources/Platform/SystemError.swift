internal import Glibc

/// The system's words for an error number (strerror(3)).
///
/// - Parameter number: an `errno`.
/// - Returns: the words, without a full stop.
public func systemMessage(_ number: Int32) -> String {
  String(cString: strerror(number))
}
