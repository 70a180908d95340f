// Whether a doctype asks for quirks mode (WHATWG HTML 13.2.6.4.1).

#include <algorithm>
#include <string>

#include "html/letters.hpp"
#include "html/tokenizer.hpp"

namespace skord::html {

namespace {

// Public identifiers, in lower case, that ask for it.
constexpr std::string_view kQuirky[] = {
    "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"};
constexpr std::string_view kQuirkyStarts[] = {
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
};
constexpr std::string_view kQuirkyWithoutSystem[] = {"-//w3c//dtd html 4.01 frameset//",
                                                     "-//w3c//dtd html 4.01 transitional//"};
constexpr std::string_view kQuirkySystem = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

template <size_t n>
bool begins_with_any(std::string_view text, const std::string_view (&starts)[n]) {
  return std::any_of(starts, starts + n, [&](std::string_view start) { return starts_with(text, start); });
}

// An identifier in quotes; `quotes_missing` where there is none or its end is lacking.
std::string_view quoted(std::string_view &rest, bool &is_missing) {
  rest = without_spaces(rest);
  is_missing = true;
  if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
  const size_t end = rest.find(rest[0], 1);
  is_missing = end == rest.npos;
  const std::string_view identifier = rest.substr(1, std::min(end, rest.size()) - 1);
  rest.remove_prefix(is_missing ? rest.size() : end + 1);
  return identifier;
}

}  // namespace

bool asks_for_quirks(std::string_view name, std::string_view rest) {
  if (lowered(name) != "html") return true;
  rest = without_spaces(rest);
  if (rest.empty()) return false;
  const std::string keyword = lowered(rest.substr(0, 6));
  if (keyword != "public" && keyword != "system") return true;
  rest.remove_prefix(6);
  bool is_missing;
  std::string public_id;
  if (keyword == "public") {
    public_id = lowered(quoted(rest, is_missing));
    if (is_missing) return true;
    rest = without_spaces(rest);
  }
  const bool has_system = keyword == "system" || !rest.empty();
  std::string system_id;
  if (has_system) {
    system_id = lowered(quoted(rest, is_missing));
    if (is_missing) return true;
  }
  if (system_id == kQuirkySystem || begins_with_any(public_id, kQuirkyStarts)) return true;
  if (std::any_of(std::begin(kQuirky), std::end(kQuirky),
                  [&](std::string_view id) { return public_id == id; })) {
    return true;
  }
  return !has_system && begins_with_any(public_id, kQuirkyWithoutSystem);
}

}  // namespace skord::html
