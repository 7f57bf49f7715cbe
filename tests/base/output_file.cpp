// What the one writer promises: a file of the final name is whole, and nothing else is ever lost.
#include "base/output_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/scratch_folder.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "warpmem-output-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<void> put(const std::string& path, const std::string& text, const OutputRules& rules = {}) {
  auto file = OutputFile::create(path, rules);
  if (!file) return file.error();
  if (auto ok = file->write(text); !ok) return ok;
  return file->publish();
}

ErrorKind kind_of_failure(const Result<void>& result) {
  REQUIRE_FALSE(result);
  return result.error().kind;
}

}  // namespace

TEST_CASE("a file has its name only when it is whole") {
  const Folder folder;
  const std::string path = folder.file("a");
  {
    auto file = OutputFile::create(path, {});
    REQUIRE(file);
    REQUIRE(file->write("text"));
    CHECK_FALSE(fs::exists(path));
    CHECK(folder.files() == 1);
    REQUIRE(file->publish());
  }
  CHECK(read(path) == "text");
  CHECK(folder.files() == 1);
}

TEST_CASE("what is not published leaves nothing behind, and what was there stays") {
  const Folder folder;
  write(folder.file("a"), "before");
  {
    auto file = OutputFile::create(folder.file("a"), {.replace = true});
    REQUIRE(file->write("half"));
  }
  CHECK(read(folder.file("a")) == "before");
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that is there is replaced only on request, and the refusal says how") {
  const Folder folder;
  write(folder.file("a"), "before");
  const auto refused = put(folder.file("a"), "after");
  CHECK(kind_of_failure(refused) == ErrorKind::kUsage);
  CHECK(refused.error().fix.find("--force") != std::string::npos);
  CHECK(read(folder.file("a")) == "before");
  REQUIRE(put(folder.file("a"), "after", {.replace = true}));
  CHECK(read(folder.file("a")) == "after");
}

TEST_CASE("a replaced file keeps its permissions") {
  const Folder folder;
  write(folder.file("a"), "before");
  REQUIRE(::chmod(folder.file("a").c_str(), 0600) == 0);
  REQUIRE(put(folder.file("a"), "after", {.replace = true}));
  CHECK((fs::status(folder.file("a")).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("what the run reads is never written over, under whatever name") {
  const Folder folder;
  const std::string input = folder.file("in");
  write(input, "precious");
  fs::create_symlink("in", folder.file("link"));
  fs::create_hard_link(input, folder.file("hard"));
  for (const char* name : {"in", "link", "hard", "./in"}) {
    const RunFiles run;
    CHECK(open_to_read(input).is_open());
    const auto refused = put(folder.file(name), "x", {.replace = true});
    CHECK(kind_of_failure(refused) == ErrorKind::kUsage);
    CHECK(refused.error().message.find("reads") != std::string::npos);
  }
  const RunFiles run;
  note_input(folder.file("link"));  // the input may be named by a link, too
  CHECK_FALSE(put(input, "x", {.replace = true}));
  CHECK(read(input) == "precious");
}

TEST_CASE("what is opened after the output was is kept too") {
  const Folder folder;
  write(folder.file("in"), "precious");
  const RunFiles run;
  auto file = OutputFile::create(folder.file("in"), {.replace = true});
  REQUIRE(file);
  REQUIRE(file->write("x"));
  CHECK(open_to_read(folder.file("in")).is_open());
  CHECK(kind_of_failure(file->publish()) == ErrorKind::kUsage);
  CHECK(read(folder.file("in")) == "precious");
}

TEST_CASE("of a folder that the run reads any file is kept, but those of the ending left out") {
  const Folder folder;
  fs::create_directory(folder.file("src"));
  fs::create_directory(folder.file("src2"));
  for (const char* name : {"src/a.cu", "src/page.html", "src2/a.cu"})
    write(folder.file(name), "precious");
  const RunFiles run;
  note_input_folder(folder.file("src/."), ".html");
  CHECK_FALSE(put(folder.file("src/a.cu"), "x", {.replace = true}));
  CHECK(put(folder.file("src/page.html"), "x", {.replace = true}));
  CHECK(put(folder.file("src/new"), "x"));
  CHECK(put(folder.file("src2/a.cu"), "x", {.replace = true}));
}

TEST_CASE("files of a scratch folder are nobody's inputs") {
  const RunFiles run;
  const auto folder = ScratchFolder::create();
  REQUIRE(folder);
  for (int i = 0; i < 2; ++i) {
    CHECK(put(folder->file("a"), "x", {.replace = true}));
    CHECK(open_to_read(folder->file("a")).is_open());
  }
}

TEST_CASE("what a process that was killed has left goes with the next output of the name") {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    auto file = OutputFile::create(folder.file("a"), {});
    if (file) static_cast<void>(file->write("half"));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(folder.files() == 1);
  auto alive = OutputFile::create(folder.file("a"), {});  // of a process that is there
  REQUIRE(alive);
  CHECK(alive->place().note.find("is removed") != std::string::npos);
  CHECK(folder.files() == 1);
  REQUIRE(put(folder.file("a"), "whole"));
  CHECK(folder.files() == 2);
}

TEST_CASE("a link is followed, and it is said") {
  const Folder folder;
  fs::create_symlink("target", folder.file("link"));  // leads to nothing yet
  auto file = OutputFile::create(folder.file("link"), {});
  REQUIRE(file);
  CHECK(file->place().path == folder.file("target"));
  CHECK(file->place().note.find("is a link") != std::string::npos);
  REQUIRE(file->write("text"));
  REQUIRE(file->publish());
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(read(folder.file("target")) == "text");
  CHECK(kind_of_failure(put(folder.file("link"), "again")) ==
        ErrorKind::kUsage);  // now it is there

  fs::create_symlink("loop", folder.file("loop"));
  CHECK(kind_of_failure(put(folder.file("loop"), "x")) == ErrorKind::kUsage);
}

TEST_CASE("devices and pipes are never replaced") {
  const Folder folder;
  CHECK(kind_of_failure(put("/dev/full", "x", {.replace = true})) == ErrorKind::kUsage);
  CHECK(kind_of_failure(put("/dev/full", "x", {.replace = true, .direct = true})) ==
        ErrorKind::kResources);  // written as it is, and it is full
  CHECK(put("/dev/null", "x", {.direct = true}));
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(fs::is_character_file("/dev/null"));

  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(kind_of_failure(put(pipe, "x", {.replace = true})) == ErrorKind::kUsage);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(put(pipe, "through", {.direct = true}));
  char got[8] = {};
  CHECK(::read(reader, got, 7) == 7);
  CHECK(std::string(got) == "through");
  ::close(reader);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("/dev/stdout is what is open, at the place where it is") {
  const Folder folder;
  write(folder.file("log"), "");
  std::fflush(stdout);
  const int kept = ::dup(STDOUT_FILENO);
  const int log = ::open(folder.file("log").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(::write(log, "first ", 6) == 6);
  ::dup2(log, STDOUT_FILENO);
  const bool done = put("/dev/stdout", "second", {.direct = true}).ok();
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept), ::close(log);
  CHECK(done);
  CHECK(read(folder.file("log")) == "first second");
}

TEST_CASE("a folder that is not there is a wrong name, not a full disk") {
  const Folder folder;
  CHECK(kind_of_failure(put(folder.file("none/a"), "x")) == ErrorKind::kUsage);
  CHECK(kind_of_failure(put(folder.file(""), "x")) == ErrorKind::kUsage);
}

TEST_CASE("two outputs of a run may not be one file") {
  const Folder folder;
  const RunFiles run;
  {
    const auto first = OutputFile::create(folder.file("a"), {});
    REQUIRE(first);
    const auto second = OutputFile::create(folder.file("./a"), {});
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::kUsage);
    CHECK(OutputFile::create(folder.file("b"), {}).ok());
  }
  CHECK(put(folder.file("a"), "x"));  // the first one was not written after all
  CHECK_FALSE(put(folder.file("a"), "x", {.replace = true}));
}

TEST_CASE("two writers of one name do not disturb each other") {
  const Folder folder;
  const std::string path = folder.file("a");
  auto first = OutputFile::create(path, {.replace = true});
  auto second = OutputFile::create(path, {.replace = true});
  auto careful = OutputFile::create(path, {});
  REQUIRE(first->write("first"));
  REQUIRE(second->write("second"));
  REQUIRE(second->publish());
  REQUIRE(first->publish());
  CHECK(read(path) == "first");
  CHECK(kind_of_failure(careful->publish()) == ErrorKind::kUsage);  // it came meanwhile
  CHECK(read(path) == "first");
}

TEST_CASE("a name as long as the file system allows has room for an unfinished one") {
  const Folder folder;
  const std::string path = folder.file(std::string(255, 'a'));
  REQUIRE(put(path, "text"));
  CHECK(read(path) == "text");
  CHECK(folder.files() == 1);
}

TEST_CASE("a limit on the size of files is an error, not a signal") {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto result = put(folder.file("a"), std::string(5000, 'x'));
    ::_exit(!result && result.error().kind == ErrorKind::kResources &&
                    result.error().fix.find("ulimit -f") != std::string::npos
                ? 0
                : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(folder.files() == 0);
}

TEST_CASE("a signal handler can remove what is not finished") {
  const Folder folder;
  write(folder.file("b"), "before");
  auto done = OutputFile::create(folder.file("a"), {});
  REQUIRE(done->publish());
  auto file = OutputFile::create(folder.file("b"), {.replace = true});
  REQUIRE(file->write("half"));
  CHECK(folder.files() == 3);
  remove_unfinished_outputs();
  CHECK(folder.files() == 2);
  CHECK(read(folder.file("b")) == "before");
}
