// Any bytes are a PNG image or refused with the file's name.
#include "datasets/files.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    static fuzz::InputFile file;
    const auto image = datasets::read_png(file.path(fuzz::text_of(data, size)));
    if (image)
        fuzz::require(image->shape.size() == 2 &&
                      image->size() == static_cast<std::size_t>(image->shape[0] * image->shape[1]));
    else
        fuzz::require(!image.error().message.empty() && !image.error().remedy.empty() &&
                      image.error().file == file.path(""));
    return 0;
}
