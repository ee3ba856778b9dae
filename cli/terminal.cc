#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace opledger {
namespace {

constexpr std::size_t kUsualColumns = 80;

// Returns the columns that the terminal reports; 0 if it does not know its size.
std::size_t reported_columns(int descriptor) {
  struct winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Returns the value of COLUMNS; 0 if the variable is missing or no number.
std::size_t environment_columns() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  const std::string_view digits(text);
  unsigned short columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc() && end == digits.data() + digits.size() ? columns : 0;
}

}  // namespace

bool is_terminal(int descriptor) {
  // Open MPI gives a process a terminal as its standard output, reads from it, and writes to the user's terminal, pipe
  // or file. The process can't tell which.
  return ::isatty(descriptor) == 1 && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr;
}

std::optional<std::size_t> terminal_columns(int descriptor) {
  if (!is_terminal(descriptor)) return std::nullopt;
  if (const std::size_t reported = reported_columns(descriptor); reported > 0) return reported;
  const std::size_t from_environment = environment_columns();
  return from_environment > 0 ? from_environment : kUsualColumns;
}

PageSize page_of(const Options& options) {
  const bool is_file = !options.output.empty() && options.output != "-";
  const std::optional<std::size_t> columns = is_file ? std::nullopt : terminal_columns(STDOUT_FILENO);
  return {columns.value_or(kPageWidth), columns.has_value(), options.full};
}

}  // namespace opledger
