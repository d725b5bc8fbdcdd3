// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapped_file.hpp"

#include "bad_input.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace example {
namespace {

[[noreturn]] void fail(char const* what)
{
    throw bad_input(std::string(what) + ": " + std::strerror(errno));
}

class file_descriptor {
public:
    explicit file_descriptor(std::string const& name) : number_(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
        if (number_ < 0) {
            fail("cannot open");
        }
    }
    ~file_descriptor() { ::close(number_); }
    file_descriptor(file_descriptor const&) = delete;
    file_descriptor& operator=(file_descriptor const&) = delete;

    int number() const { return number_; }

private:
    int number_;
};

} // namespace

mapped_file::mapped_file(std::string const& name)
{
    file_descriptor const file(name);
    struct stat status;
    if (::fstat(file.number(), &status) != 0) {
        fail("cannot read");
    }
    if (!S_ISREG(status.st_mode)) {
        throw bad_input("is not a regular file");
    }
    auto const size = static_cast<std::size_t>(status.st_size);
    if (size == 0) {
        return; // an empty mapping is not allowed
    }
    auto* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address == MAP_FAILED) {
        fail("cannot map");
    }
    ::madvise(address, size, MADV_SEQUENTIAL); // advice: not following it is no error
    bytes_ = {static_cast<std::byte const*>(address), size};
}

mapped_file::~mapped_file()
{
    if (!bytes_.empty()) {
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

} // namespace example
