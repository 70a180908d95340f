#include <algorithm>
#include <optional>
#include <vector>

#include "pandoc_dialect/escapes.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

struct Url {
  std::string scheme, netloc, path, params, query, fragment;
};

bool is_of_scheme(char sign) {
  return is_ascii_letter(sign) || is_ascii_digit(sign) || sign == '+' || sign == '-' || sign == '.';
}

bool is_one_of(std::string_view list, const std::string &name) {  // blanks around each
  return contains(list, " " + name + " ");
}

// Of those that Python joins, takes apart and gives parameters; all but "sip" and the like are in
// the first.
constexpr std::string_view kRelative =
    " ftp http gopher nntp imap wais file https shttp mms prospero rtsp rtsps rtspu sftp svn svn+ssh"
    " ws wss ";
constexpr std::string_view kWithParams = " ftp prospero http imap https shttp rtsp mms sftp ";
constexpr std::string_view kWithNetloc =
    " ftp http gopher nntp imap wais file mms https shttp prospero rtsp rtsps rtspu sftp svn svn+ssh"
    " ws wss ";

// Without controls and blanks before it, and tabs and ends of lines in it.
std::string tidied(std::string_view text) {
  std::string out;
  for (const char sign : text) {
    if (out.empty() && static_cast<unsigned char>(sign) <= ' ') continue;
    if (sign != '\t' && sign != '\r' && sign != '\n') out.push_back(sign);
  }
  return out;
}

// Cuts off what follows a sign, and returns it.
std::string cut_off(std::string &text, char sign) {
  const size_t at = text.find(sign);
  if (at == text.npos) return {};
  std::string rest = text.substr(at + 1);
  text.resize(at);
  return rest;
}

std::string cut_off_params(std::string &path) {
  const size_t slash = path.rfind('/');
  const size_t at = path.find(';', slash == path.npos ? 0 : slash);
  if (at == path.npos) return {};
  std::string params = path.substr(at + 1);
  path.resize(at);
  return params;
}

std::optional<Url> url_of(std::string_view text, const std::string &scheme) {
  Url url;
  url.scheme = scheme;
  url.path = tidied(text);
  std::string &rest = url.path;
  const size_t colon = rest.find(':');
  if (colon != rest.npos && colon > 0 && is_ascii_letter(rest[0]) &&
      std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(colon), is_of_scheme)) {
    url.scheme = rest.substr(0, colon);
    for (char &sign : url.scheme) sign = lowered(sign);
    rest.erase(0, colon + 1);
  }
  if (starts_with(rest, "//")) {
    const size_t end = std::min(rest.find_first_of("/?#", 2), rest.size());
    url.netloc = rest.substr(2, end - 2);
    rest.erase(0, end);
    const auto has = [&](char sign) { return url.netloc.find(sign) != url.netloc.npos; };
    if (has('[') != has(']')) return std::nullopt;
  }
  url.fragment = cut_off(rest, '#');
  url.query = cut_off(rest, '?');
  if (is_one_of(kWithParams, url.scheme)) url.params = cut_off_params(rest);
  return url;
}

std::string text_of(const Url &url) {
  std::string path = url.path;
  if (!url.params.empty()) path += ";" + url.params;
  std::string out = url.scheme + ":";
  if (!url.netloc.empty() ||
      (is_one_of(kWithNetloc, url.scheme) && !starts_with(path, "//"))) {
    out += "//" + url.netloc;
    if (!path.empty() && path[0] != '/') out += '/';
  }
  out += path;
  if (!url.query.empty()) out += "?" + url.query;
  if (!url.fragment.empty()) out += "#" + url.fragment;
  return out;
}

std::vector<std::string> split(const std::string &path) {
  std::vector<std::string> segments;
  for_each_part(path, '/', [&](std::string_view segment) { segments.emplace_back(segment); });
  return segments;
}

std::vector<std::string> segments_of(const std::string &base, const std::string &path) {
  std::vector<std::string> further = split(path);
  if (path[0] == '/') return further;
  std::vector<std::string> segments = split(base);
  if (!segments.back().empty()) segments.pop_back();
  segments.insert(segments.end(), further.begin(), further.end());
  if (segments.size() > 2) {  // none empty between the first and the last
    segments.erase(std::remove(segments.begin() + 1, segments.end() - 1, ""), segments.end() - 1);
  }
  return segments;
}

std::string resolved(const std::string &base, const std::string &path) {
  const std::vector<std::string> segments = segments_of(base, path);
  // Dot segments: RFC 3986, section 5.2.4.
  std::vector<std::string> kept;
  for (const std::string &segment : segments) {
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
  }
  if (segments.back() == "." || segments.back() == "..") kept.emplace_back();
  std::string out;
  for (size_t at = 0; at < kept.size(); ++at) out += (at > 0 ? "/" : "") + kept[at];
  return out.empty() ? "/" : out;
}

}  // namespace

std::string url_joined(std::string_view base, std::string_view address) {
  if (address.empty()) return std::string(base);
  if (base.empty()) return std::string(address);
  const std::optional<Url> from = url_of(base, "");
  std::optional<Url> url = from ? url_of(address, from->scheme) : std::nullopt;
  if (!url || url->scheme != from->scheme || !is_one_of(kRelative, url->scheme)) {
    return std::string(address);
  }
  if (is_one_of(kWithNetloc, url->scheme)) {
    if (!url->netloc.empty()) return text_of(*url);
    url->netloc = from->netloc;
  }
  if (url->path.empty() && url->params.empty()) {
    url->path = from->path;
    url->params = from->params;
    if (url->query.empty()) url->query = from->query;
  } else {
    url->path = resolved(from->path, url->path);
  }
  return text_of(*url);
}

}  // namespace skord::pandoc_dialect
