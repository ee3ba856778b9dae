#include "report/gzip_stream.h"

#include <zlib.h>

namespace opledger {
namespace {

constexpr int kGzipFormat = 15 + 16;  // The largest window, with a gzip header.
constexpr int kMemoryLevel = 9;

}  // namespace

bool start_gzip(z_stream_s& stream, int level) { return deflateInit2(&stream, level, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK; }

}  // namespace opledger
