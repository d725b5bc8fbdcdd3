// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input_file.hpp"

#include "bad_input.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace example {
namespace {

[[noreturn]] void fail(char const* what)
{
    throw bad_input(std::string(what) + ": " + std::strerror(errno));
}

struct stat status_of(int file)
{
    struct stat status;
    if (::fstat(file, &status) != 0) {
        fail("cannot read");
    }
    return status;
}

bool is_same_file(struct stat const& a, struct stat const& b)
{
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// What the signal handler looks at: the bytes of a mapped file. Never freed, but used again.
struct mapping {
    std::atomic<std::uintptr_t> first{0}, last{0};
    mapping* next = nullptr;
};
std::atomic<mapping*> mappings{nullptr};
std::mutex changes_mappings;

extern "C" void end_if_truncated(int signal, siginfo_t* info, void*)
{
    auto const address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (auto const* each = mappings.load(); each != nullptr; each = each->next) {
        if (address >= each->first && address < each->last) {
            constexpr std::string_view message = "describe: the file was truncated while it was read\n";
            [[maybe_unused]] auto const written = ::write(STDERR_FILENO, message.data(), message.size());
            ::_exit(1);
        }
    }
    ::signal(signal, SIG_DFL); // not ours: the access is repeated, and ends the program as usual
}

/// Sets the mapping that is now at [first, last) to [new_first, new_last); one at [0, 0) is free.
bool replace_mapping(std::uintptr_t first, std::uintptr_t last, std::uintptr_t new_first, std::uintptr_t new_last)
{
    for (auto* each = mappings.load(); each != nullptr; each = each->next) {
        if (each->first == first && each->last == last) {
            each->last = 0; // empty, whatever first is
            each->first = new_first;
            each->last = new_last;
            return true;
        }
    }
    return false;
}

void watch(std::span<std::byte const> bytes)
{
    std::lock_guard const lock(changes_mappings);
    auto const first = reinterpret_cast<std::uintptr_t>(bytes.data());
    if (!replace_mapping(0, 0, first, first + bytes.size())) {
        auto* const added = new mapping;
        added->first = first;
        added->last = first + bytes.size();
        added->next = mappings;
        mappings = added;
    }
    struct sigaction action{};
    action.sa_sigaction = end_if_truncated;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

void stop_watching(std::span<std::byte const> bytes)
{
    std::lock_guard const lock(changes_mappings);
    auto const first = reinterpret_cast<std::uintptr_t>(bytes.data());
    replace_mapping(first, first + bytes.size(), 0, 0);
}

} // namespace

file_descriptor::file_descriptor(std::string const& name)
    : number_(name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC))
{
    if (number_ < 0) {
        fail("cannot open");
    }
}

file_descriptor::~file_descriptor()
{
    if (number_ != STDIN_FILENO) {
        ::close(number_);
    }
}

input_file::input_file(std::string const& name) : file_(name)
{
    auto const status = status_of(file_.number());
    if (S_ISREG(status.st_mode) && status.st_size > 0 && name != "-") {
        map(static_cast<std::size_t>(status.st_size));
    } else { // some regular files, as those of /proc, have no size but bytes
        read_to_end();
    }
}

input_file::~input_file()
{
    if (!bytes_.empty() && read_.empty()) {
        stop_watching(bytes_);
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

void input_file::map(std::size_t size)
{
    auto* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.number(), 0);
    if (address == MAP_FAILED) {
        fail("cannot map");
    }
    ::madvise(address, size, MADV_SEQUENTIAL); // advice: not following it is no error
    bytes_ = {static_cast<std::byte const*>(address), size};
    watch(bytes_);
}

void input_file::read_to_end()
{
    constexpr std::size_t least_room = 1 << 16;
    std::size_t size = 0;
    for (;;) {
        if (read_.size() - size < least_room) {
            read_.resize(2 * read_.size() + least_room);
        }
        auto const got = ::read(file_.number(), read_.data() + size, read_.size() - size);
        if (got == 0) {
            break;
        }
        if (got > 0) {
            size += static_cast<std::size_t>(got);
        } else if (errno != EINTR) {
            fail("cannot read");
        }
    }
    bytes_ = {read_.data(), size};
}

bool input_file::is_same_as(std::string const& name) const
{
    struct stat other;
    return ::stat(name.c_str(), &other) == 0 && is_same_file(status_of(file_.number()), other);
}

bool input_file::is_standard_output() const
{
    struct stat output;
    return ::fstat(STDOUT_FILENO, &output) == 0 && is_same_file(status_of(file_.number()), output);
}

void input_file::expect_not_truncated() const
{
    if (read_.empty() && static_cast<std::size_t>(status_of(file_.number()).st_size) < bytes_.size()) {
        throw bad_input("was truncated while it was read");
    }
}

} // namespace example
