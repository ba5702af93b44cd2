#include "report/html.hpp"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "datasets/seeds.hpp"
#include "report/formats.hpp"

namespace cugrade::report {
namespace {

/// All pairs of text and ground have a contrast of 4.5 at least, which tests/page measures.
constexpr std::string_view shared_style = R"(
:root{color-scheme:light dark;--ground:#fff;--text:#1c1c1e;--quiet:#55585e;--line:#c6c9ce;
--band:#f2f3f5;--link:#0a4fa3;--good:#17642a;--bad:#9d1c1a;--unsure:#734700;--bar:#2f6fb5}
@media (prefers-color-scheme:dark){:root{--ground:#17191d;--text:#e8e8ea;--quiet:#b3b7be;
--line:#484c54;--band:#22252b;--link:#8fbcff;--good:#86d698;--bad:#ffa39c;--unsure:#f1c878;
--bar:#6ea8e8}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem;max-width:84rem;background:var(--ground);color:var(--text);
font:1rem/1.45 system-ui,sans-serif}
h1{font-size:1.7rem;margin:0 0 .4rem}
h2{font-size:1.3rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.4rem 0 .4rem}
p{max-width:60rem;margin:.4rem 0}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.8rem 0}
.wide{overflow-x:auto;margin:.5rem 0}
.long{content-visibility:auto;contain-intrinsic-size:auto 60rem}
table{border-collapse:collapse}
caption{text-align:left;color:var(--quiet);padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.2rem .7rem .2rem .3rem;
border-bottom:1px solid var(--line)}
thead th{background:var(--band);white-space:nowrap}
tbody th{font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.quiet{color:var(--quiet)}.good{color:var(--good)}.bad{color:var(--bad)}.unsure{color:var(--unsure)}
svg{display:block;max-width:100%}td svg{margin-top:.3rem}
.bar{fill:var(--bar)}.axis{stroke:var(--quiet)}.tier{stroke:var(--bad);stroke-dasharray:4 3}
.box{fill:none;stroke:var(--text);stroke-width:1.5}
svg text{fill:var(--text);font:12px system-ui,sans-serif}
pre{overflow-x:auto;background:var(--band);padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere}
form{display:flex;flex-wrap:wrap;gap:.6rem 1.2rem;align-items:end;margin:.8rem 0}
label{display:grid;gap:.15rem}
input,select,button{font:inherit;color:inherit;background:var(--ground);
border:1px solid var(--quiet);border-radius:.25rem;padding:.25rem .5rem;min-height:1.9rem}
th button{border:0;background:none;padding:0 .2rem;font-weight:600;cursor:pointer}
th button:hover{text-decoration:underline}
th button::after{content:" \2195";color:var(--quiet)}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
[hidden]{display:none!important}
@media print{:root{--ground:#fff;--text:#000;--quiet:#444;--line:#999;--band:#fff;--link:#000;
--good:#000;--bad:#000;--unsure:#000;--bar:#555}
body{max-width:none;padding:0;font-size:9pt}nav,form{display:none}
.wide{overflow:visible;content-visibility:visible}
tr,svg{break-inside:avoid}h2,h3{break-after:avoid}a{text-decoration:none}
th button::after{content:""}}
)";

/// The hash by which a Content-Security-Policy names a text: SHA-256 in base64.
std::string csp_hash(std::string_view text) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::size_t hex_digits = 64;
    // 3 bytes are 6 hexadecimal digits and 4 of base64; the last 2 bytes are filled up with a 0.
    const std::string hex = datasets::sha256(text) + "00";
    static_assert((hex_digits + 2) % 6 == 0);
    std::string out;
    for (std::size_t at = 0; at < hex.size(); at += 6) {
        unsigned bits = 0;
        std::from_chars(hex.data() + at, hex.data() + at + 6, bits, 16);
        for (const unsigned shift : {18U, 12U, 6U, 0U}) out += digits[bits >> shift & 63U];
    }
    out.back() = '=';
    return "'sha256-" + out + "'";
}

}  // namespace

std::string escaped(std::string_view text, std::size_t max_bytes) {
    return markup(clean(text, max_bytes, false));
}

std::string isolated(std::string_view name) { return "<bdi>" + escaped(name) + "</bdi>"; }

std::string uri(std::string_view path) {
    std::string out;
    for (const unsigned char c : path) {
        const bool is_plain =
            std::isalnum(c) != 0 ||
            std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
        if (is_plain) {
            out += static_cast<char>(c);
        } else {
            out += fmt::format("%{:02X}", c);
        }
    }
    return out;
}

std::string html_page(const HtmlPage& page) {
    const std::string style = std::string(shared_style) + std::string(page.style);
    const std::string script_rule =
        page.script.empty() ? "" : fmt::format(";script-src {}", csp_hash(page.script));
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src "
        "{}{};base-uri 'none';form-action 'none'\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<meta name=\"robots\" content=\"noindex\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<title>{}</title>\n<style>{}</style></head>\n<body>\n{}",
        csp_hash(style), script_rule, escaped(page.title), style, page.body);
    if (!page.script.empty()) out += fmt::format("<script>{}</script>\n", page.script);
    return out + "</body></html>\n";
}

std::string html_table(const HtmlTable& table) {
    return fmt::format(
        "<div class=\"wide{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table{}>\n"
        "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        table.is_long ? " long" : "", escaped(table.name),
        table.id.empty() ? "" : fmt::format(" id=\"{}\"", table.id), table.head, table.body);
}

}  // namespace cugrade::report
