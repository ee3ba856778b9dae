// Starts the program of an unpacked tar file (scripts/package_tar.sh) with the dynamic loader and the libraries beside it: FOLDER/bin/opledger runs
// FOLDER/lib/loader with FOLDER/libexec/opledger. It is linked statically and calls no other program, so that the kernel alone suffices.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { kFailed = 2, kOptions = 4 };  // the exit status of a failed program; the loader and its options

static int fail(const char* problem, const char* subject, const char* cure) {
  fprintf(stderr, "error: %s `%s`: %s\n", problem, subject, cure);
  return kFailed;
}

// Returns the file of this program without symbolic links, or null. Without /proc, the kernel still tells how this program was started.
static char* own_file(void) {
  char* file = realpath("/proc/self/exe", NULL);
  return file != NULL ? file : realpath((const char*)getauxval(AT_EXECFN), NULL);
}

// Cuts the last part off a path.
static void leave(char* path) {
  char* slash = strrchr(path, '/');
  if (slash != NULL) *slash = '\0';
}

static char* below(const char* folder, const char* name) {
  char* path = NULL;
  if (asprintf(&path, "%s/%s", folder, name) < 0) exit(fail("can't make the path of", name, "out of memory"));
  return path;
}

// Removes the variables that make a loader load libraries: those of the system may need another C library than the one beside this program.
static void drop_variables_of_loaders(void) {
  char** kept = environ;
  for (char** variable = environ; *variable != NULL; ++variable) {
    if (strncmp(*variable, "LD_", 3) != 0) *kept++ = *variable;
  }
  *kept = NULL;
}

int main(int count, char** words) {
  char* folder = own_file();
  if (folder == NULL) {
    return fail("the system does not tell the path of the program started as", count > 0 ? words[0] : "", "mount /proc, or start it by its absolute path");
  }
  leave(folder);
  leave(folder);
  if (strpbrk(folder, ":;$") != NULL) {
    return fail("can't load libraries from the folder", folder, "move it to a path without `:`, `;` and `$`, which the loader interprets");
  }

  char* loader = below(folder, "lib/loader");
  char** command = calloc((size_t)count + kOptions + 2, sizeof *command);
  if (command == NULL) return fail("can't start", loader, "out of memory");
  char* options[kOptions] = {loader, "--inhibit-cache", "--library-path", below(folder, "lib")};
  memcpy(command, options, sizeof options);
  command[kOptions] = below(folder, "libexec/opledger");
  for (int i = 1; i < count; ++i) command[kOptions + i] = words[i];

  drop_variables_of_loaders();
  execve(loader, command, environ);
  return fail("can't start", loader, errno == ENOENT ? "the file is missing: unpack the tar file again" : strerror(errno));
}
