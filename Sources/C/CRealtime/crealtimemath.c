#include "crealtimemath.h"
#include <math.h>

double oav_tan(double x) { return tan(x); }
double oav_sin(double x) { return sin(x); }
double oav_cos(double x) { return cos(x); }
double oav_atan2(double y, double x) { return atan2(y, x); }
double oav_exp(double x) { return exp(x); }
double oav_sinh(double x) { return sinh(x); }
double oav_pow(double x, double y) { return pow(x, y); }
float oav_exp2f(float x) { return exp2f(x); }
float oav_expf(float x) { return expf(x); }
float oav_log2f(float x) { return log2f(x); }
float oav_sinf(float x) { return sinf(x); }
