// The C library's locale of UTF-8, for what reads and writes names by it.
#pragma once

#include <locale.h>

namespace cugrade {

/// Sets it for this thread, until the end of its life. Without such a locale nothing changes.
class Utf8Locale {
public:
    Utf8Locale()
        : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
          before_(locale_ != nullptr ? ::uselocale(locale_) : nullptr) {}
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;
    ~Utf8Locale() {
        if (locale_ == nullptr) return;
        ::uselocale(before_);
        ::freelocale(locale_);
    }

private:
    locale_t locale_, before_;
};

}  // namespace cugrade
