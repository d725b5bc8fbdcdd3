// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>
#include <cusparse.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace example {

/// The product of a matrix in compressed rows (CSR) and a vector, by cuSPARSE. All pointers are to memory of the GPU.
class cusparse_product {
public:
    struct matrix {
        int rows, columns, entries;
        int *begins, *column; ///< where the rows begin, one more than there are, and the column of each entry
        double* value;
    };

    cusparse_product(matrix const& a, double* x, double* y)
    {
        expect(cusparseCreate(&library_));
        expect(cusparseCreateCsr(&matrix_, a.rows, a.columns, a.entries, a.begins, a.column, a.value,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        expect(cusparseCreateDnVec(&x_, a.columns, x, CUDA_R_64F));
        expect(cusparseCreateDnVec(&y_, a.rows, y, CUDA_R_64F));
        std::size_t bytes = 0;
        expect(cusparseSpMV_bufferSize(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        if (cudaMalloc(&scratch_, bytes) != cudaSuccess) {
            throw std::runtime_error("no memory for cuSPARSE");
        }
        expect(cusparseSpMV_preprocess(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, scratch_));
    }
    cusparse_product(cusparse_product const&) = delete;
    cusparse_product& operator=(cusparse_product const&) = delete;
    ~cusparse_product()
    {
        cusparseDestroyDnVec(y_);
        cusparseDestroyDnVec(x_);
        cusparseDestroySpMat(matrix_);
        cusparseDestroy(library_);
        cudaFree(scratch_);
    }
    /// Writes the product in the default stream, and does not wait for it.
    void multiply()
    {
        expect(cusparseSpMV(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, scratch_));
    }

private:
    static void expect(cusparseStatus_t status)
    {
        if (status != CUSPARSE_STATUS_SUCCESS) {
            throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
        }
    }
    double one_ = 1, zero_ = 0;
    cusparseHandle_t library_ = nullptr;
    cusparseSpMatDescr_t matrix_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    void* scratch_ = nullptr;
};

} // namespace example
