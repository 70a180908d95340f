// What Python calls to measure the quality of texts, and to classify them by their letters.

#include "bindings/functions.hpp"
#include "language_models/letter_grams.hpp"
#include "quality/link_counts.hpp"
#include "quality/text_counts.hpp"

namespace skord {

PyMethodDef quality_functions[] = {
    method<measure_texts, Threads::go_on>("measure_texts"),
    method<word_numbers>("word_numbers"),
    method<count_linked, Threads::go_on>("count_linked"),
    method<write_letters>("write_letters"),
    method<sum_letter_grams, Threads::go_on>("sum_letter_grams"),
    method<train_letter_grams, Threads::go_on>("train_letter_grams"),
    {}};

}  // namespace skord
