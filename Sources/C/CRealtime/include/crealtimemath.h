// The functions of C's library that render code calls, marked so that Swift's real-time checks accept them: none of them locks or
// allocates.
#pragma once

#if defined(__clang__)
#define OAV_REALTIME __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
#else
#define OAV_REALTIME
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// C's functions of the same names without the prefix.
OAV_REALTIME double oav_tan(double x);
OAV_REALTIME double oav_sin(double x);
OAV_REALTIME double oav_cos(double x);
OAV_REALTIME double oav_atan2(double y, double x);
OAV_REALTIME double oav_exp(double x);
OAV_REALTIME double oav_sinh(double x);
OAV_REALTIME double oav_pow(double x, double y);
OAV_REALTIME float oav_exp2f(float x);
OAV_REALTIME float oav_expf(float x);
OAV_REALTIME float oav_log2f(float x);
OAV_REALTIME float oav_sinf(float x);

#ifdef __cplusplus
}
#endif
