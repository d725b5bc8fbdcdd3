// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file that several ranks write at once. Each has records of its own, of any lengths. An exclusive scan of their
// lengths over all ranks gives the place of each record in the file, so no rank waits for another to have written, and
// the file is the same whatever the number of ranks. The ranks are threads here, or processes, started by mpirun.

#include "../describe/any_communicator.hpp"
#include "../describe/mpi.hpp"
#include "../describe/on_all_ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

using namespace example;

constexpr std::int64_t records = 100'000;

/// The n-th record: the powers of its prime factors.
std::string record(std::int64_t n)
{
    std::string text = std::to_string(n) + " =";
    std::int64_t rest = n;
    for (std::int64_t factor = 2; rest > 1; ++factor) {
        factor = factor * factor > rest ? rest : factor;
        int power = 0;
        for (; rest % factor == 0; rest /= factor) {
            ++power;
        }
        if (power > 0) {
            text += ' ' + std::to_string(factor) + (power > 1 ? '^' + std::to_string(power) : "");
        }
    }
    return text + '\n';
}

/// A file that is open for writing, at any place.
class output_file {
public:
    explicit output_file(std::string const& name) : number_(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666))
    {
        expect(number_ >= 0, name);
    }
    ~output_file() { ::close(number_); }
    output_file(output_file const&) = delete;
    output_file& operator=(output_file const&) = delete;

    void resize(std::int64_t size) const { expect(::ftruncate(number_, size) == 0, "cannot resize"); }

    void write(std::string_view text, std::int64_t position) const
    {
        while (!text.empty()) {
            auto const written = ::pwrite(number_, text.data(), text.size(), position);
            expect(written >= 0, "cannot write");
            text.remove_prefix(static_cast<std::size_t>(written));
            position += written;
        }
    }

private:
    static void expect(bool succeeded, std::string const& what)
    {
        if (!succeeded) {
            throw std::system_error(errno, std::generic_category(), what);
        }
    }

    int number_;
};

/// One rank's part. Returns the size of the file.
std::int64_t write_records(any_communicator& ranks, std::string const& name)
{
    // What this rank has to write
    auto const first = records * ranks.rank() / ranks.size(), last = records * (ranks.rank() + 1) / ranks.size();
    std::string text;
    std::vector<std::int64_t> lengths;
    for (auto n = first; n < last; ++n) {
        auto const next = record(n + 1);
        text += next;
        lengths.push_back(static_cast<std::int64_t>(next.size()));
    }

    // Where
    auto const policy = tilewise::distributed(ranks, tilewise::par);
    std::vector<std::int64_t> positions(lengths.size());
    tilewise::exclusive_scan(policy, lengths, positions.begin(), std::int64_t{0});
    auto const size = tilewise::reduce(policy, lengths, std::int64_t{0});

    // All wait here until the file is whole, or one has failed.
    on_all_ranks(ranks, [&] {
        output_file const file(name);
        file.resize(size); // by every rank: an old file may be longer
        if (!positions.empty()) {
            file.write(text, positions.front());
        }
    });
    return size;
}

/// Whether the file is what a loop writes.
bool is_right(std::string const& name, std::int64_t size)
{
    std::ifstream file(name, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    std::string expected;
    for (std::int64_t n = 1; n <= records; ++n) {
        expected += record(n);
    }
    return text == expected && size == static_cast<std::int64_t>(expected.size());
}

/// Checks the file after `ranks` ranks have written it.
bool check(int ranks, std::string const& name, std::int64_t size)
{
    bool const right = is_right(name, size);
    std::printf("%2d ranks: %lld bytes, %s\n", ranks, static_cast<long long>(size),
                right ? "as the plain loop has it" : "WRONG");
    return right;
}

bool write_with_threads(int count, std::string const& name)
{
    std::int64_t size = 0;
    tilewise::thread_communicator::run(count, [&](tilewise::thread_communicator& communicator) {
        communicator_reference ranks(communicator);
        auto const written = write_records(ranks, name);
        if (ranks.rank() == 0) {
            size = written;
        }
    });
    return check(count, name, size);
}

bool write_under_mpi(std::string const& name)
{
    bool right = true;
    run_under_mpi([&](any_communicator& ranks) {
        auto const size = write_records(ranks, name);
        right = ranks.rank() != 0 || check(ranks.size(), name, size);
    });
    return right;
}

} // namespace

int main(int argc, char** argv)
try {
    std::string const name = argc > 1 ? argv[1] : "factors.txt";
    bool right = true;
    if (launched_by_mpi()) {
        right = write_under_mpi(name);
    } else {
        for (int const ranks : {1, 2, 3, 7}) {
            right = write_with_threads(ranks, name) && right;
        }
    }
    return right ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
