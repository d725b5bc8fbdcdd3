// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory of the GPU for a file that has no header of CUDA's. `memory.cu` has the rest.

#include <cstddef>
#include <vector>

struct CUstream_st;

namespace on_gpu {

bool has_device();
void* allocate(std::size_t bytes);
void release(void* memory);
void copy(void* to, void const* from, std::size_t bytes);
CUstream_st* new_stream();
void wait_for(CUstream_st* stream);
void end(CUstream_st* stream);

/// Elements there, beginning some bytes into their memory.
template <class T>
class array {
public:
    explicit array(std::vector<T> const& values, std::size_t misalignment = 0)
        : memory_(allocate(values.size() * sizeof(T) + misalignment)),
          first_(reinterpret_cast<T*>(static_cast<unsigned char*>(memory_) + misalignment)), size_(values.size())
    {
        copy(first_, values.data(), size_ * sizeof(T));
    }
    array(array const&) = delete;
    array& operator=(array const&) = delete;
    ~array() { release(memory_); }

    T* begin() const { return first_; }
    T* end() const { return first_ + size_; }
    std::vector<T> values() const
    {
        std::vector<T> result(size_);
        copy(result.data(), first_, size_ * sizeof(T));
        return result;
    }

private:
    void* memory_;
    T* first_;
    std::size_t size_;
};

} // namespace on_gpu
