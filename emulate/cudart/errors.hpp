// The error codes of the CUDA runtime with their names and texts, as programs print them.
#pragma once

namespace warpmem::cudart {

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitialization = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidTexture = 18,
  kInvalidMemcpyDirection = 21,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kNoKernelImage = 209,
  kInvalidPtx = 218,
  kInvalidResourceHandle = 400,
  kSymbolNotFound = 500,
  kInvalidChannelDescriptor = 20,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kIllegalState = 401,
  kCaptureImplicit = 906,
  kInvalidClusterSize = 912,
  kGraphExecUpdateFailure = 910,
  kUnknown = 999,
};

// The driver's: that of the newest headers whose names it answers to (emulate/names). It takes PTX
// of any.
constexpr int kDriverVersion = 13050;

const char* error_name(Code code);
const char* error_text(Code code);

}  // namespace warpmem::cudart
