// Any bytes are a PGM image or refused with the file's name. An image that is read and written as
// plain numbers is the same image.
#include <fmt/format.h>

#include "datasets/files.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    static fuzz::InputFile file, copy;
    const auto image = datasets::read_pgm(file.path(fuzz::text_of(data, size)));
    if (!image) {
        fuzz::require(!image.error().message.empty() && !image.error().remedy.empty() &&
                      image.error().file == file.path(""));
        return 0;
    }
    fuzz::require(image->shape.size() == 2 &&
                  image->bytes.size() == image->size() * size_of(image->dtype));
    std::string plain = fmt::format("P2 {} {} {}\n", image->shape[1], image->shape[0],
                                    image->dtype == DType::u16 ? 65535 : 255);
    for (std::size_t i = 0; i < image->size(); ++i) plain += image->text(i) + " ";
    const auto again = datasets::read_any(copy.path(plain));
    fuzz::require(again.ok() && again->shape == image->shape && again->bytes == image->bytes);
    return 0;
}
