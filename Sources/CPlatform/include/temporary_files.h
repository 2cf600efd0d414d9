#pragma once

// Files that go with the process when a signal ends it. Everything here may be called by any thread.

// Names a file that is about to be made. The number is for temporary_file_forget; -1 where there are too many.
int temporary_file_remember(const char *path);

// Leaves a file alone from now on.
void temporary_file_forget(int number);

// Has every signal that ends the process remove the named files before; one that is ignored stays so. SIGKILL and
// the signals of a fault of the program (SIGSEGV and its like) leave them.
void temporary_files_remove_on_signals(void);

// Has those signals wait on the calling thread from now on, but SIGPIPE and SIGABRT.
void temporary_files_hold_signals(void);
