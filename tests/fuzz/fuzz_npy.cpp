// Any bytes are an .npy file or refused with the file's name. An array that is read and written
// again is the same array.
#include "datasets/files.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    static fuzz::InputFile file, copy;
    const auto array = datasets::read_npy(file.path(fuzz::text_of(data, size)));
    if (!array) {
        fuzz::require(!array.error().message.empty() && !array.error().remedy.empty() &&
                      array.error().file == file.path(""));
        return 0;
    }
    fuzz::require(array->bytes.size() == array->size() * size_of(array->dtype));
    const std::string& written = copy.path("");
    fuzz::require(datasets::write_npy(written, *array).ok());
    const auto again = datasets::read_any(written);
    fuzz::require(again.ok() && again->dtype == array->dtype && again->shape == array->shape &&
                  again->bytes == array->bytes);
    return 0;
}
