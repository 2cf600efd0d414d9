#pragma once

// Files that go with the process when a signal ends it. Everything here may be called by any thread.

// Names a file that is about to be made. The number is for temporary_file_forget; -1 where there are too many.
int temporary_file_remember(const char *path);

// Leaves a file alone from now on.
void temporary_file_forget(int number);

// Has SIGINT, SIGTERM and SIGHUP remove the named files before they end the process; one that is ignored stays so.
void temporary_files_remove_on_signals(void);
