// SPDX-License-Identifier: Apache-2.0
//
// data_files.cpp - files that the design reads, as $readmemh and $fopen do.
//
// A simulator runs in the folder of its results. A relative name that is not there is looked for in the folders of GOLDBEAT_DATA_FOLDERS,
// and what was read is told, as a result depends on it.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

// What follows opens files itself.
#undef fopen

namespace {

/// By the name that the design has given: the path that was opened; empty where there is none.
std::map<std::string, std::string>& found() {
  static std::map<std::string, std::string> one;
  return one;
}

std::string place(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(name, none)) return fs::absolute(name, none).string();
  const char* folders = std::getenv("GOLDBEAT_DATA_FOLDERS");
  if (folders == nullptr || fs::path(name).is_absolute()) return "";
  std::string_view left = folders;
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    const fs::path path = fs::path(left.substr(0, end)) / name;
    if (fs::exists(path, none)) return path.string();
    left = end == std::string_view::npos ? "" : left.substr(end + 1);
  }
  return "";
}

}  // namespace

std::FILE* goldbeat_open(const char* name, const char* mode) {
  if (mode[0] != 'r' || std::string_view(mode).find('+') != std::string_view::npos) return std::fopen(name, mode);
  const std::string path = found()[name] = place(name);
  return std::fopen(path.empty() ? name : path.c_str(), mode);
}

/// Files that the design has opened for reading so far, one line each: its name for it, a tab and the path, which is empty for a file
/// that is not there.
extern "C" const char* gb_data_files() {
  static std::string report;
  report.clear();
  for (const auto& [name, path] : found()) report += name + '\t' + path + '\n';
  return report.c_str();
}
