// The C types that code around AVFAudio takes from CoreAudioTypes, with Apple's names, members and layout.
// Units: sample rates in hertz, sizes in bytes, sample times in frames; host times as AVAudioTime says.
//
// Source: the public declarations of CoreAudioBaseTypes.h as the reference lists them.
#pragma once
#if !defined(__APPLE__)
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// For values without shared mutable state: a description, not a pointer to samples.
#if defined(__clang__)
#define OAV_VALUE __attribute__((swift_attr("@Sendable")))
#define OAV_OPEN_ENUM(type, name) enum __attribute__((enum_extensibility(open))) name : type
#define OAV_FLAGS(type, name) enum __attribute__((flag_enum, enum_extensibility(open))) name : type
#else
#define OAV_VALUE
#endif

/// A result code of Apple's C functions; `noErr` is success.
typedef int32_t OSStatus;
static const OSStatus noErr = 0;

typedef uint32_t AudioFormatID;
typedef uint32_t AudioFormatFlags;
typedef uint32_t AudioChannelLayoutTag;

/// How one stream of sound is laid out in memory or in a file.
typedef struct OAV_VALUE AudioStreamBasicDescription {
    double mSampleRate;
    AudioFormatID mFormatID;
    AudioFormatFlags mFormatFlags;
    uint32_t mBytesPerPacket;
    uint32_t mFramesPerPacket;
    /// Of one channel where the channels are apart (kAudioFormatFlagIsNonInterleaved).
    uint32_t mBytesPerFrame;
    uint32_t mChannelsPerFrame;
    uint32_t mBitsPerChannel;
    uint32_t mReserved;
} AudioStreamBasicDescription;

/// What kind of unit something is: codes of four letters each; flags without meaning here.
typedef struct OAV_VALUE AudioComponentDescription {
    uint32_t componentType;
    uint32_t componentSubType;
    uint32_t componentManufacturer;
    uint32_t componentFlags;
    uint32_t componentFlagsMask;
} AudioComponentDescription;

/// Samples of one channel, or of several interleaved ones.
typedef struct AudioBuffer {
    uint32_t mNumberChannels;
    uint32_t mDataByteSize;
    void *_Nullable mData;
} AudioBuffer;

/// `mNumberBuffers` buffers, of which the first is here and the others follow in memory.
typedef struct AudioBufferList {
    uint32_t mNumberBuffers;
    AudioBuffer mBuffers[1];
} AudioBufferList;

/// One packet of a compressed stream whose packets differ in size.
typedef struct OAV_VALUE AudioStreamPacketDescription {
    int64_t mStartOffset;
    uint32_t mVariableFramesInPacket;
    uint32_t mDataByteSize;
} AudioStreamPacketDescription;

typedef OAV_OPEN_ENUM(uint32_t, SMPTETimeType) {
    kSMPTETimeType24 = 0,
    kSMPTETimeType25 = 1,
    kSMPTETimeType30Drop = 2,
    kSMPTETimeType30 = 3,
    kSMPTETimeType2997 = 4,
    kSMPTETimeType2997Drop = 5,
} SMPTETimeType;

typedef OAV_FLAGS(uint32_t, SMPTETimeFlags) {
    kSMPTETimeUnknown __attribute__((swift_name("unknown"))) = 0,
    kSMPTETimeValid __attribute__((swift_name("valid"))) = 1u << 0,
    kSMPTETimeRunning __attribute__((swift_name("running"))) = 1u << 1,
} SMPTETimeFlags;

typedef struct OAV_VALUE SMPTETime {
    int16_t mSubframes;
    int16_t mSubframeDivisor;
    uint32_t mCounter;
    SMPTETimeType mType;
    SMPTETimeFlags mFlags;
    int16_t mHours;
    int16_t mMinutes;
    int16_t mSeconds;
    int16_t mFrames;
} SMPTETime;

/// Which members of an AudioTimeStamp say something.
typedef OAV_FLAGS(uint32_t, AudioTimeStampFlags) {
    kAudioTimeStampNothingValid __attribute__((swift_name("nothingValid"))) = 0,
    kAudioTimeStampSampleTimeValid __attribute__((swift_name("sampleTimeValid"))) = 1u << 0,
    kAudioTimeStampHostTimeValid __attribute__((swift_name("hostTimeValid"))) = 1u << 1,
    kAudioTimeStampRateScalarValid __attribute__((swift_name("rateScalarValid"))) = 1u << 2,
    kAudioTimeStampWordClockTimeValid __attribute__((swift_name("wordClockTimeValid"))) = 1u << 3,
    kAudioTimeStampSMPTETimeValid __attribute__((swift_name("smpteTimeValid"))) = 1u << 4,
    kAudioTimeStampSampleHostTimeValid __attribute__((swift_name("sampleHostTimeValid"))) = 3,
} AudioTimeStampFlags;

typedef struct OAV_VALUE AudioTimeStamp {
    double mSampleTime;
    uint64_t mHostTime;
    double mRateScalar;
    uint64_t mWordClockTime;
    SMPTETime mSMPTETime;
    AudioTimeStampFlags mFlags;
    uint32_t mReserved;
} AudioTimeStamp;

// What a host has scheduled for a unit in one cycle, as a list in order of time.
// Source: SDK header AUAudioUnitImplementation.h.

typedef OAV_OPEN_ENUM(uint8_t, AURenderEventType) {
    AURenderEventParameter __attribute__((swift_name("parameter"))) = 1,
    AURenderEventParameterRamp __attribute__((swift_name("parameterRamp"))) = 2,
    AURenderEventMIDI __attribute__((swift_name("MIDI"))) = 8,
    AURenderEventMIDISysEx __attribute__((swift_name("midiSysEx"))) = 9,
} AURenderEventType;

/// The members that all events begin with.
typedef struct AURenderEventHeader {
    union AURenderEvent *_Nullable next;
    /// When it is due, in the sample time of the cycle.
    int64_t eventSampleTime;
    AURenderEventType eventType;
    uint8_t reserved;
} AURenderEventHeader;

/// A parameter takes a value, at once or over some frames.
typedef struct AUParameterEvent {
    union AURenderEvent *_Nullable next;
    int64_t eventSampleTime;
    AURenderEventType eventType;
    uint8_t reserved[3];
    /// 0 for at once.
    uint32_t rampDurationSampleFrames;
    uint64_t parameterAddress;
    float value;
} AUParameterEvent;

/// One MIDI message.
typedef struct AUMIDIEvent {
    union AURenderEvent *_Nullable next;
    int64_t eventSampleTime;
    AURenderEventType eventType;
    uint8_t reserved;
    /// Bytes of the message.
    uint16_t length;
    uint8_t cable;
    uint8_t data[3];
} AUMIDIEvent;

typedef union AURenderEvent {
    AURenderEventHeader head;
    AUParameterEvent parameter;
    AUMIDIEvent MIDI;
} AURenderEvent;

typedef OAV_FLAGS(uint32_t, AudioChannelFlags) {
    kAudioChannelFlags_AllOff __attribute__((swift_name("allOff"))) = 0,
    kAudioChannelFlags_RectangularCoordinates __attribute__((swift_name("rectangularCoordinates"))) = 1u << 0,
    kAudioChannelFlags_SphericalCoordinates __attribute__((swift_name("sphericalCoordinates"))) = 1u << 1,
    kAudioChannelFlags_Meters __attribute__((swift_name("meters"))) = 1u << 2,
} AudioChannelFlags;

/// The channels of a WAV file's mask, in its bits' order.
typedef OAV_FLAGS(uint32_t, AudioChannelBitmap) {
    kAudioChannelBit_Left __attribute__((swift_name("bit_Left"))) = 1u << 0,
    kAudioChannelBit_Right __attribute__((swift_name("bit_Right"))) = 1u << 1,
    kAudioChannelBit_Center __attribute__((swift_name("bit_Center"))) = 1u << 2,
    kAudioChannelBit_LFEScreen __attribute__((swift_name("bit_LFEScreen"))) = 1u << 3,
    kAudioChannelBit_LeftSurround __attribute__((swift_name("bit_LeftSurround"))) = 1u << 4,
    kAudioChannelBit_RightSurround __attribute__((swift_name("bit_RightSurround"))) = 1u << 5,
    kAudioChannelBit_LeftCenter __attribute__((swift_name("bit_LeftCenter"))) = 1u << 6,
    kAudioChannelBit_RightCenter __attribute__((swift_name("bit_RightCenter"))) = 1u << 7,
    kAudioChannelBit_CenterSurround __attribute__((swift_name("bit_CenterSurround"))) = 1u << 8,
    kAudioChannelBit_LeftSurroundDirect __attribute__((swift_name("bit_LeftSurroundDirect"))) = 1u << 9,
    kAudioChannelBit_RightSurroundDirect __attribute__((swift_name("bit_RightSurroundDirect"))) = 1u << 10,
} AudioChannelBitmap;

typedef struct OAV_VALUE AudioChannelDescription {
    /// An AudioChannelLabel.
    uint32_t mChannelLabel;
    AudioChannelFlags mChannelFlags;
    float mCoordinates[3];
} AudioChannelDescription;

/// Which channel belongs where: by its tag, by a bitmap, or by `mNumberChannelDescriptions` descriptions, of which the
/// first is here and the others follow in memory.
typedef struct OAV_VALUE AudioChannelLayout {
    AudioChannelLayoutTag mChannelLayoutTag;
    AudioChannelBitmap mChannelBitmap;
    uint32_t mNumberChannelDescriptions;
    AudioChannelDescription mChannelDescriptions[1];
} AudioChannelLayout;

#define OAV_FOUR(a, b, c, d) \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static const AudioFormatID kAudioFormatLinearPCM = OAV_FOUR('l', 'p', 'c', 'm');
static const AudioFormatID kAudioFormatAppleLossless = OAV_FOUR('a', 'l', 'a', 'c');
static const AudioFormatID kAudioFormatFLAC = OAV_FOUR('f', 'l', 'a', 'c');
static const AudioFormatID kAudioFormatOpus = OAV_FOUR('o', 'p', 'u', 's');
static const AudioFormatID kAudioFormatMPEGLayer1 = OAV_FOUR('.', 'm', 'p', '1');
static const AudioFormatID kAudioFormatMPEGLayer2 = OAV_FOUR('.', 'm', 'p', '2');
static const AudioFormatID kAudioFormatMPEGLayer3 = OAV_FOUR('.', 'm', 'p', '3');
static const AudioFormatID kAudioFormatULaw = OAV_FOUR('u', 'l', 'a', 'w');
static const AudioFormatID kAudioFormatALaw = OAV_FOUR('a', 'l', 'a', 'w');
static const AudioFormatID kAudioFormatAppleIMA4 = OAV_FOUR('i', 'm', 'a', '4');
static const AudioFormatID kAudioFormatMPEG4AAC = OAV_FOUR('a', 'a', 'c', ' ');

/// The kinds of file, for AVAudioFileTypeKey.
typedef uint32_t AudioFileTypeID;
static const AudioFileTypeID kAudioFileAIFFType = OAV_FOUR('A', 'I', 'F', 'F');
static const AudioFileTypeID kAudioFileAIFCType = OAV_FOUR('A', 'I', 'F', 'C');
static const AudioFileTypeID kAudioFileWAVEType = OAV_FOUR('W', 'A', 'V', 'E');
static const AudioFileTypeID kAudioFileRF64Type = OAV_FOUR('R', 'F', '6', '4');
static const AudioFileTypeID kAudioFileNextType = OAV_FOUR('N', 'e', 'X', 'T');
static const AudioFileTypeID kAudioFileCAFType = OAV_FOUR('c', 'a', 'f', 'f');
static const AudioFileTypeID kAudioFileFLACType = OAV_FOUR('f', 'l', 'a', 'c');
static const AudioFileTypeID kAudioFileMP3Type = OAV_FOUR('M', 'P', 'G', '3');
static const AudioFileTypeID kAudioFileMPEG4Type = OAV_FOUR('m', 'p', '4', 'f');
static const AudioFileTypeID kAudioFileM4AType = OAV_FOUR('m', '4', 'a', 'f');
static const AudioFileTypeID kAudioFileM4BType = OAV_FOUR('m', '4', 'b', 'f');
static const AudioFileTypeID kAudioFile3GPType = OAV_FOUR('3', 'g', 'p', 'p');
static const AudioFileTypeID kAudioFile3GP2Type = OAV_FOUR('3', 'g', 'p', '2');
static const AudioFileTypeID kAudioFileAC3Type = OAV_FOUR('a', 'c', '-', '3');
static const AudioFileTypeID kAudioFileAAC_ADTSType = OAV_FOUR('a', 'd', 't', 's');

// What thrown errors of AVAudioFile and AVAudioConverter have as their code.
static const OSStatus kAudio_ParamError = -50;
static const OSStatus kAudioFileEndOfFileError = -39;
static const OSStatus kAudioFileNotOpenError = -38;
static const OSStatus kAudioFileFileNotFoundError = -43;
static const OSStatus kAudioFileUnspecifiedError = (OSStatus)OAV_FOUR('w', 'h', 't', '?');
static const OSStatus kAudioFileUnsupportedFileTypeError = (OSStatus)OAV_FOUR('t', 'y', 'p', '?');
static const OSStatus kAudioFileUnsupportedDataFormatError = (OSStatus)OAV_FOUR('f', 'm', 't', '?');
static const OSStatus kAudioFileInvalidFileError = (OSStatus)OAV_FOUR('d', 't', 'a', '?');
static const OSStatus kAudioFilePermissionsError = (OSStatus)OAV_FOUR('p', 'r', 'm', '?');
static const OSStatus kAudioConverterErr_FormatNotSupported = (OSStatus)OAV_FOUR('f', 'm', 't', '?');
static const OSStatus kAudioConverterErr_OperationNotSupported = (OSStatus)OAV_FOUR('o', 'p', '?', '?');
static const OSStatus kAudioConverterErr_InvalidOutputSize = (OSStatus)OAV_FOUR('o', 't', 's', 'z');
static const OSStatus kAudioConverterErr_UnspecifiedError = (OSStatus)OAV_FOUR('w', 'h', 'a', 't');

static const AudioFormatFlags kAudioFormatFlagIsFloat = 1u << 0;
static const AudioFormatFlags kAudioFormatFlagIsBigEndian = 1u << 1;
static const AudioFormatFlags kAudioFormatFlagIsSignedInteger = 1u << 2;
static const AudioFormatFlags kAudioFormatFlagIsPacked = 1u << 3;
static const AudioFormatFlags kAudioFormatFlagIsAlignedHigh = 1u << 4;
static const AudioFormatFlags kAudioFormatFlagIsNonInterleaved = 1u << 5;
static const AudioFormatFlags kAudioFormatFlagIsNonMixable = 1u << 6;
static const AudioFormatFlags kAudioFormatFlagsAreAllClear = 1u << 31;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const AudioFormatFlags kAudioFormatFlagsNativeEndian = 1u << 1;
static const AudioFormatFlags kAudioFormatFlagsNativeFloatPacked = 1u << 0 | 1u << 1 | 1u << 3;
#else
static const AudioFormatFlags kAudioFormatFlagsNativeEndian = 0;
static const AudioFormatFlags kAudioFormatFlagsNativeFloatPacked = 1u << 0 | 1u << 3;
#endif
static const AudioFormatFlags kLinearPCMFormatFlagIsFloat = 1u << 0;
static const AudioFormatFlags kLinearPCMFormatFlagIsBigEndian = 1u << 1;
static const AudioFormatFlags kLinearPCMFormatFlagIsSignedInteger = 1u << 2;
static const AudioFormatFlags kLinearPCMFormatFlagIsPacked = 1u << 3;
static const AudioFormatFlags kLinearPCMFormatFlagIsNonInterleaved = 1u << 5;

// The lower 16 bits of a tag are its number of channels.
#define OAV_TAG(number, channels) ((uint32_t)(number) << 16 | (channels))

static const AudioChannelLayoutTag kAudioChannelLayoutTag_UseChannelDescriptions = OAV_TAG(0, 0);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_UseChannelBitmap = OAV_TAG(1, 0);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Mono = OAV_TAG(100, 1);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Stereo = OAV_TAG(101, 2);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_StereoHeadphones = OAV_TAG(102, 2);
/// L R Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Quadraphonic = OAV_TAG(108, 4);
/// L R C
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_3_0_A = OAV_TAG(113, 3);
/// C L R
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_3_0_B = OAV_TAG(114, 3);
/// L R C Cs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_4_0_A = OAV_TAG(115, 4);
/// L R C Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_0_A = OAV_TAG(117, 5);
/// L R Ls Rs C
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_0_B = OAV_TAG(118, 5);
/// L C R Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_0_C = OAV_TAG(119, 5);
/// C L R Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_0_D = OAV_TAG(120, 5);
/// L R C LFE Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_1_A = OAV_TAG(121, 6);
/// L R Ls Rs C LFE
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_1_B = OAV_TAG(122, 6);
/// L C R Ls Rs LFE
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_1_C = OAV_TAG(123, 6);
/// C L R Ls Rs LFE
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_5_1_D = OAV_TAG(124, 6);
/// L R C LFE Ls Rs Cs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_6_1_A = OAV_TAG(125, 7);
/// L R C LFE Ls Rs Rls Rrs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_7_1_C = OAV_TAG(128, 8);
/// L R Rls Rrs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_WAVE_4_0_B = OAV_TAG(185, 4);
/// L R C Rls Rrs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_WAVE_5_0_B = OAV_TAG(186, 5);
/// L R C LFE Rls Rrs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_WAVE_5_1_B = OAV_TAG(187, 6);
/// L R C LFE Cs Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_WAVE_6_1 = OAV_TAG(188, 7);
/// L R C LFE Rls Rrs Ls Rs
static const AudioChannelLayoutTag kAudioChannelLayoutTag_WAVE_7_1 = OAV_TAG(189, 8);
/// Channels without a place; add their number.
// The layouts of audio units, by their own names.
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Pentagonal = OAV_TAG(109, 5);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Hexagonal = OAV_TAG(110, 6);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Octagonal = OAV_TAG(111, 8);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_MPEG_7_1_A = OAV_TAG(126, 8);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_4 = OAV_TAG(108, 4);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_5 = OAV_TAG(109, 5);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_6 = OAV_TAG(110, 6);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_8 = OAV_TAG(111, 8);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_5_0 = OAV_TAG(118, 5);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_6_0 = OAV_TAG(139, 6);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_7_0 = OAV_TAG(140, 7);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_7_0_Front = OAV_TAG(148, 7);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_5_1 = OAV_TAG(121, 6);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_6_1 = OAV_TAG(125, 7);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_7_1 = OAV_TAG(128, 8);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_AudioUnit_7_1_Front = OAV_TAG(126, 8);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_DiscreteInOrder = OAV_TAG(147, 0);
static const AudioChannelLayoutTag kAudioChannelLayoutTag_Unknown = 0xFFFF0000u;

#ifdef __cplusplus
}
#endif
#endif
