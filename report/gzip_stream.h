#pragma once

struct z_stream_s;

/// How streams of zlib are started, so that they write what gzip reads.
namespace opledger {

/// `deflateEnd` is due if it is true.
bool start_gzip(z_stream_s& stream, int level);

}  // namespace opledger
