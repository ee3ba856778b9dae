#pragma once
#include "cli/command.h"
#include "import/import.h"

/// The import of many files at once.
namespace opledger {

/// The function that imports one file.
using ImportFunction = ImportedDocuments(const ImportRequest&, Library&, Diagnostics&);

/// Imports every file into the folder of `-o`: a model for each, and a document NAME-weights for quantized weights. The
/// text is a table of the files that were read, read with warnings, or refused. A refused file is a failure, and the
/// other files are written. `file_in_folder` names the file that an argument with a folder stands for.
Outcome import_many(const std::vector<std::string>& files, std::string_view file_in_folder, ImportFunction* import, const Options& options, Library& library,
                    Diagnostics& diagnostics);

}  // namespace opledger
