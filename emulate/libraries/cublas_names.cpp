// Every other call that cuBLAS exports: it says its name and fails, so that a program that never
// calls it still loads.
//
// A call has up to four names: as it was first (cublasSaxpy), with today's handle (_v2), and either
// with 64-bit sizes (_64). Which of them are missing here is said by the form in front of each name.
#include <cstdio>

namespace {

int not_emulated(const char* name) {
  std::fprintf(stderr, "warpmem: %s is not emulated: it returns CUBLAS_STATUS_NOT_SUPPORTED\n",
               name);
  return 15;
}

}  // namespace

#define WARPMEM_REFUSE(name) \
  extern "C" int name() { return not_emulated(#name); }

#define PLAIN(name) WARPMEM_REFUSE(name)
#define WIDE(name) WARPMEM_REFUSE(name) WARPMEM_REFUSE(name##_64)
#define ONLY_WIDE(name) WARPMEM_REFUSE(name##_64)
#define V2_NO_WIDE(name) WARPMEM_REFUSE(name) WARPMEM_REFUSE(name##_v2)
#define V2(name) V2_NO_WIDE(name) WARPMEM_REFUSE(name##_v2_64)
#define HAVE_PLAIN(name) WARPMEM_REFUSE(name##_v2) WARPMEM_REFUSE(name##_v2_64)
#define HAVE_V2(name) WARPMEM_REFUSE(name) WARPMEM_REFUSE(name##_v2_64)

// For which types: float and double, their complex ones, all four.
#define ONE(form, name) form(cublas##name)
#define REAL(form, name) form(cublasS##name) form(cublasD##name)
#define COMPLEX(form, name) form(cublasC##name) form(cublasZ##name)
#define ALL(form, name) REAL(form, name) COMPLEX(form, name)

// clang-format off
ALL(V2, gbmv) ALL(V2, rot) ALL(V2, symm) ALL(V2, syr2k) ALL(V2, tbmv) ALL(V2, tbsv) ALL(V2, tpmv)
ALL(V2, tpsv) ALL(V2, trmm) ALL(V2, trmv) ALL(V2, trsv)
ALL(V2_NO_WIDE, rotg)
ALL(WIDE, gemvBatched) ALL(WIDE, gemvStridedBatched) ALL(WIDE, syrkx) ALL(WIDE, trsmBatched)
ALL(PLAIN, bdmm) ALL(PLAIN, gelsBatched) ALL(PLAIN, geqrfBatched) ALL(PLAIN, getrfBatched)
ALL(PLAIN, getriBatched) ALL(PLAIN, getrsBatched) ALL(PLAIN, matinvBatched) ALL(PLAIN, tpttr)
ALL(PLAIN, trttp)

REAL(V2, rotm) REAL(V2, sbmv) REAL(V2, spmv) REAL(V2, spr) REAL(V2, spr2) REAL(V2, symv)
REAL(V2, syr) REAL(V2, syr2)
REAL(V2_NO_WIDE, rotmg)
REAL(HAVE_V2, asum) REAL(HAVE_V2, axpy) REAL(HAVE_V2, copy) REAL(HAVE_V2, dot) REAL(HAVE_V2, gemm)
REAL(HAVE_V2, gemv) REAL(HAVE_V2, ger) REAL(HAVE_V2, nrm2) REAL(HAVE_V2, scal) REAL(HAVE_V2, swap)
REAL(HAVE_V2, syrk) REAL(HAVE_V2, trsm)
REAL(WIDE, gemmGroupedBatched)
REAL(ONLY_WIDE, dgmm) REAL(ONLY_WIDE, geam) REAL(ONLY_WIDE, gemmBatched)
REAL(ONLY_WIDE, gemmStridedBatched)

COMPLEX(V2, axpy) COMPLEX(V2, copy) COMPLEX(V2, dotc) COMPLEX(V2, dotu) COMPLEX(V2, gemm)
COMPLEX(V2, gemv) COMPLEX(V2, gerc) COMPLEX(V2, geru) COMPLEX(V2, hbmv) COMPLEX(V2, hemm)
COMPLEX(V2, hemv) COMPLEX(V2, her) COMPLEX(V2, her2) COMPLEX(V2, her2k) COMPLEX(V2, herk)
COMPLEX(V2, hpmv) COMPLEX(V2, hpr) COMPLEX(V2, hpr2) COMPLEX(V2, scal) COMPLEX(V2, swap)
COMPLEX(V2, syrk) COMPLEX(V2, trsm)
COMPLEX(HAVE_PLAIN, symv) COMPLEX(HAVE_PLAIN, syr) COMPLEX(HAVE_PLAIN, syr2)
COMPLEX(WIDE, dgmm) COMPLEX(WIDE, geam) COMPLEX(WIDE, gemm3m) COMPLEX(WIDE, gemmBatched)
COMPLEX(WIDE, gemmStridedBatched) COMPLEX(WIDE, herkx)

ONE(V2, Csrot) ONE(V2, Csscal) ONE(V2, Dzasum) ONE(V2, Dznrm2) ONE(V2, Icamax) ONE(V2, Icamin)
ONE(V2, Izamax) ONE(V2, Izamin) ONE(V2, Scasum) ONE(V2, Scnrm2) ONE(V2, Zdrot) ONE(V2, Zdscal)
ONE(HAVE_V2, Idamax) ONE(HAVE_V2, Idamin) ONE(HAVE_V2, Isamax) ONE(HAVE_V2, Isamin)
ONE(WIDE, AsumEx) ONE(WIDE, AxpyEx) ONE(WIDE, Cgemm3mBatched) ONE(WIDE, Cgemm3mEx)
ONE(WIDE, Cgemm3mStridedBatched) ONE(WIDE, CgemmEx) ONE(WIDE, Cherk3mEx) ONE(WIDE, CherkEx)
ONE(WIDE, CopyEx) ONE(WIDE, Csyrk3mEx) ONE(WIDE, CsyrkEx) ONE(WIDE, DotEx) ONE(WIDE, DotcEx)
ONE(WIDE, GemmGroupedBatchedEx) ONE(WIDE, GetMatrixAsync) ONE(WIDE, HSHgemvBatched)
ONE(WIDE, HSHgemvStridedBatched) ONE(WIDE, HSSgemvBatched) ONE(WIDE, HSSgemvStridedBatched)
ONE(WIDE, HgemmBatched) ONE(WIDE, IamaxEx) ONE(WIDE, IaminEx) ONE(WIDE, Nrm2Ex) ONE(WIDE, RotEx)
ONE(WIDE, RotmEx) ONE(WIDE, ScalEx) ONE(WIDE, SetMatrixAsync) ONE(WIDE, SwapEx)
ONE(WIDE, TSSgemvBatched) ONE(WIDE, TSSgemvStridedBatched) ONE(WIDE, TSTgemvBatched)
ONE(WIDE, TSTgemvStridedBatched)
ONE(ONLY_WIDE, GemmBatchedEx) ONE(ONLY_WIDE, GemmEx) ONE(ONLY_WIDE, GemmStridedBatchedEx)
ONE(ONLY_WIDE, GetMatrix) ONE(ONLY_WIDE, GetVector) ONE(ONLY_WIDE, GetVectorAsync)
ONE(ONLY_WIDE, Hgemm) ONE(ONLY_WIDE, HgemmStridedBatched) ONE(ONLY_WIDE, SetMatrix)
ONE(ONLY_WIDE, SetVector) ONE(ONLY_WIDE, SetVectorAsync) ONE(ONLY_WIDE, SgemmEx)
ONE(PLAIN, Alloc) ONE(PLAIN, Free) ONE(PLAIN, GetBackdoor)
ONE(PLAIN, GetEmulationSpecialValuesSupport) ONE(PLAIN, GetEmulationStrategy)
ONE(PLAIN, GetEnvironmentMode) ONE(PLAIN, GetError)
ONE(PLAIN, GetFixedPointEmulationMantissaBitCountPointer)
ONE(PLAIN, GetFixedPointEmulationMantissaBitOffset)
ONE(PLAIN, GetFixedPointEmulationMantissaControl)
ONE(PLAIN, GetFixedPointEmulationMaxMantissaBitCount) ONE(PLAIN, GetLoggerCallback)
ONE(PLAIN, GetSmCountTarget) ONE(PLAIN, GetVersion) ONE(PLAIN, Init) ONE(PLAIN, RotgEx)
ONE(PLAIN, RotmgEx) ONE(PLAIN, SetBackdoor) ONE(PLAIN, SetBackdoorEx)
ONE(PLAIN, SetEmulationSpecialValuesSupport) ONE(PLAIN, SetEmulationStrategy)
ONE(PLAIN, SetEnvironmentMode) ONE(PLAIN, SetFixedPointEmulationMantissaBitCountPointer)
ONE(PLAIN, SetFixedPointEmulationMantissaBitOffset)
ONE(PLAIN, SetFixedPointEmulationMantissaControl)
ONE(PLAIN, SetFixedPointEmulationMaxMantissaBitCount) ONE(PLAIN, SetKernelStream)
ONE(PLAIN, SetLoggerCallback) ONE(PLAIN, SetSmCountTarget) ONE(PLAIN, Shutdown)
ONE(PLAIN, Uint8gemmBias) ONE(PLAIN, Xerbla) ONE(PLAIN, XtCgemm) ONE(PLAIN, XtChemm)
ONE(PLAIN, XtCher2k) ONE(PLAIN, XtCherk) ONE(PLAIN, XtCherkx) ONE(PLAIN, XtCreate)
ONE(PLAIN, XtCspmm) ONE(PLAIN, XtCsymm) ONE(PLAIN, XtCsyr2k) ONE(PLAIN, XtCsyrk)
ONE(PLAIN, XtCsyrkx) ONE(PLAIN, XtCtrmm) ONE(PLAIN, XtCtrsm) ONE(PLAIN, XtDestroy)
ONE(PLAIN, XtDeviceSelect) ONE(PLAIN, XtDgemm) ONE(PLAIN, XtDspmm) ONE(PLAIN, XtDsymm)
ONE(PLAIN, XtDsyr2k) ONE(PLAIN, XtDsyrk) ONE(PLAIN, XtDsyrkx) ONE(PLAIN, XtDtrmm)
ONE(PLAIN, XtDtrsm) ONE(PLAIN, XtGetBlockDim) ONE(PLAIN, XtGetNumBoards)
ONE(PLAIN, XtGetPinningMemMode) ONE(PLAIN, XtMaxBoards) ONE(PLAIN, XtSetBlockDim)
ONE(PLAIN, XtSetCpuRatio) ONE(PLAIN, XtSetCpuRoutine) ONE(PLAIN, XtSetPinningMemMode)
ONE(PLAIN, XtSgemm) ONE(PLAIN, XtSspmm) ONE(PLAIN, XtSsymm) ONE(PLAIN, XtSsyr2k) ONE(PLAIN, XtSsyrk)
ONE(PLAIN, XtSsyrkx) ONE(PLAIN, XtStrmm) ONE(PLAIN, XtStrsm) ONE(PLAIN, XtZgemm) ONE(PLAIN, XtZhemm)
ONE(PLAIN, XtZher2k) ONE(PLAIN, XtZherk) ONE(PLAIN, XtZherkx) ONE(PLAIN, XtZspmm)
ONE(PLAIN, XtZsymm) ONE(PLAIN, XtZsyr2k) ONE(PLAIN, XtZsyrk) ONE(PLAIN, XtZsyrkx)
ONE(PLAIN, XtZtrmm) ONE(PLAIN, XtZtrsm)
// clang-format on
