// The functions that Python sees, by subject; _native.pyi says what each takes and gives.

#pragma once

#include "bindings/bindings.hpp"

namespace skord {

extern PyMethodDef chunk_functions[], dedup_functions[], html_functions[], model_functions[];
extern PyMethodDef line_classifier_functions[], line_functions[], page_text_functions[];
extern PyMethodDef quality_functions[];

}  // namespace skord
