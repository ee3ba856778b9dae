#pragma once
#include <zlib.h>

/// How streams of zlib are started, so that they write what gzip reads.
namespace opledger {

/// `deflateEnd` is due if it is true.
inline bool start_gzip(z_stream& stream, int level) {
  constexpr int kGzipFormat = 15 + 16;  // largest window, gzip header
  constexpr int kMemoryLevel = 9;
  return deflateInit2(&stream, level, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
}

}  // namespace opledger
