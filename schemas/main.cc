#include <cstdio>
#include <fstream>

#include "schemas/image.h"

/// FOLDER FILE: writes the image of the library in FOLDER. A step of the build.
int main(int count, char** words) {
  if (count != 3) return 2;
  const std::string image = opledger::make_image(opledger::good_documents(words[1]));
  std::ofstream file(words[2], std::ios::binary);
  file << image;
  file.close();
  if (!file.fail()) return 0;
  std::perror(words[2]);
  return 1;
}
