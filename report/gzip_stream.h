#pragma once

struct z_stream_s;

/// Initialization of zlib streams for the gzip format.
namespace opledger {

/// Starts a compression at a zlib level (1: fast, 9: small) without name and time, so that equal input gives equal
/// output. Returns false if zlib fails; after true, the caller must call `deflateEnd`.
bool start_gzip(z_stream_s& stream, int level);

}  // namespace opledger
