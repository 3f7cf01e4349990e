# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What checkpatch.pl tells of code that is right as it is:
# - a lock that is pointed at, in a local variable, needs no comment;
# - a message is one string, so that it can be searched for.
CHECKPATCH=UNCOMMENTED_DEFINITION,LONG_LINE_STRING
# - in kmod/compat, __has_include() isn't known to checkpatch; macros stand in
#   for others.
CHECKPATCH_COMPAT=$CHECKPATCH,CONSTANT_COMPARISON,SPACING,NEW_TYPEDEFS,MACRO_ARG_UNUSED
# - user space has no BIT(), no ARRAY_SIZE(), no kernel types, attributes and
#   string functions, and libraries with names in mixed case; memory that
#   others map is volatile in it; macros make lists and tests.
CHECKPATCH_USER=$CHECKPATCH,BIT_MACRO,ARRAY_SIZE,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO
CHECKPATCH_USER+=,STRCPY,NAKED_SSCANF,CAMELCASE,VOLATILE,COMPLEX_MACRO,MACRO_ARG_REUSE
# - in a patch: MAINTAINERS has names of folders.
CHECKPATCH_PATCH=FILE_PATH_CHANGES
# - in one of user space: it knows kselftest_harness.h and userfaultfd as little
#   as the C library, and a program without an ending as little as its words.
CHECKPATCH_PATCH_USER=AVOID_BUG,MACRO_WITH_FLOW_CONTROL,ARCH_DEFINES,TRAILING_SEMICOLON
CHECKPATCH_PATCH_USER+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,SSCANF_TO_KSTRTO,SPACING
CHECKPATCH_PATCH_USER+=,EMBEDDED_FUNCTION_NAME,AVOID_EXTERNS,ENOSYS,EXECUTE_PERMISSIONS
