// What Python calls to find near-duplicates.

#include "dedup/decisions.hpp"
#include "bindings/functions.hpp"
#include "dedup/keys.hpp"
#include "dedup/repeated_lines.hpp"

namespace skord {

namespace {

struct KeyScatterCapsule {
  static constexpr const char *kName = "skord.KeyScatter";
  KeyScatter scatter;
};

// Room in a new `bytes` object.
template <class T>
T *room_of(const Owned &bytes) {
  return reinterpret_cast<T *>(PyBytes_AsString(bytes.get()));
}

PyObject *new_bytes(size_t size) {
  return PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
}

// The pieces of earlier dumps, a list of (keys, ranks, dump), and what keeps them in place.
class KeyPieces {
 public:
  explicit KeyPieces(PyObject *list) {
    for (size_t at = 0; at < length_of(list); ++at) {
      PyObject *keys, *ranks;
      long long dump;
      if (!PyArg_ParseTuple(item_of(list, at), "OOL", &keys, &ranks, &dump)) throw PythonError();
      held_.push_back(std::make_unique<Bytes>(keys));
      const auto shared = held_.back()->as<uint64_t>();
      held_.push_back(std::make_unique<Bytes>(ranks));
      must_fit(dump >= 0);
      pieces_.push_back({shared, held_.back()->as<uint32_t>(), dump});
    }
  }
  const std::vector<KeyPiece> &pieces() const { return pieces_; }

 private:
  std::vector<std::unique_ptr<Bytes>> held_;
  std::vector<KeyPiece> pieces_;
};

using Decide = void (*)(uint64_t, Numbers<const int64_t>, Numbers<const uint32_t>,
                        const Decided &);

PyObject *decide_py(PyObject *arguments, Decide decide) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *buckets, *owner, *signatures, *slots, *keeper, *equal;
    unsigned long long first, first_exact, least_equal;
    if (!PyArg_ParseTuple(arguments, "KOOOKOOKOO", &first, &starts, &buckets, &owner,
                          &first_exact, &signatures, &slots, &least_equal, &keeper, &equal)) {
      return nullptr;
    }
    const Bytes starts_bytes(starts), buckets_bytes(buckets), signature_bytes(signatures);
    const Bytes slot_bytes(slots);
    const Room owner_room(owner), keeper_room(keeper), equal_room(equal);
    const Decided state{owner_room.as<int32_t>(),  first_exact,
                        signature_bytes.as<uint64_t>(), slot_bytes.as<int32_t>(), least_equal,
                        keeper_room.as<int32_t>(), equal_room.as<uint8_t>()};
    without_python([&] {
      decide(first, starts_bytes.as<int64_t>(), buckets_bytes.as<uint32_t>(), state);
    });
    Py_RETURN_NONE;
  });
}

}  // namespace

PyObject *key_scatter_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    unsigned long long num_bands, num_parts;
    if (!PyArg_ParseTuple(arguments, "KK", &num_bands, &num_parts)) return nullptr;
    return capsule_of(new KeyScatterCapsule{KeyScatter(num_bands, num_parts)});
  });
}

PyObject *scatter_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *words, *taken, *ranks;
    unsigned long long band, width, first, count;
    unsigned long no_rank;
    if (!PyArg_ParseTuple(arguments, "OKOKKKOOk", &capsule, &band, &words, &width, &first, &count,
                          &taken, &ranks, &no_rank)) {
      return nullptr;
    }
    const Bytes word_bytes(words), taken_bytes(taken), rank_bytes(ranks);
    value_of<KeyScatterCapsule>(capsule).scatter.add(
        band, {word_bytes.as<uint64_t>(), width, first, count}, taken_bytes.as<uint8_t>(),
        rank_bytes.as<uint32_t>(), static_cast<uint32_t>(no_rank));
    Py_RETURN_NONE;
  });
}

PyObject *take_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule;
    unsigned long long place;
    if (!PyArg_ParseTuple(arguments, "OK", &capsule, &place)) return nullptr;
    KeyScatter &scatter = value_of<KeyScatterCapsule>(capsule).scatter;
    const size_t rows = scatter.size(place);
    Owned keys(new_bytes(rows * sizeof(uint64_t))), ranks(new_bytes(rows * sizeof(uint32_t)));
    scatter.take(place, room_of<uint64_t>(keys), room_of<uint32_t>(ranks));
    return PyTuple_Pack(2, keys.get(), ranks.get());
  });
}

PyObject *shared_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *list;
    unsigned int range_bits;
    unsigned long long place, num_ranges, first_bucket;
    if (!PyArg_ParseTuple(arguments, "OKO!IKK", &capsule, &place, &PyList_Type, &list,
                          &range_bits, &num_ranges, &first_bucket)) {
      return nullptr;
    }
    must_fit(range_bits < 32 && first_bucket < (1ull << 32));
    KeyScatter &scatter = value_of<KeyScatterCapsule>(capsule).scatter;
    const KeyPieces earlier(list);
    std::vector<KeyPiece> pieces = scatter.pieces(place);
    pieces.insert(pieces.end(), earlier.pieces().begin(), earlier.pieces().end());
    without_python([&] {
      shared_keys(pieces, range_bits, num_ranges, static_cast<uint32_t>(first_bucket),
                  scatter.room);
    });
    const SharedRows &shared = scatter.room.shared;
    scatter.forget(place);
    Owned ranks(bytes_of(shared.ranks)), buckets(bytes_of(shared.buckets));
    Owned starts(bytes_of(shared.starts)), held(bytes_of(shared.held));
    Owned holders(bytes_of(shared.holders));
    return Py_BuildValue("OOOnOO", ranks.get(), buckets.get(), starts.get(),
                         Py_ssize_t(shared.num_buckets), held.get(), holders.get());
  });
}

PyObject *find_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *sorted, *keys, *pages, *places, *first;
    if (!PyArg_ParseTuple(arguments, "OOOOO", &sorted, &keys, &pages, &places, &first)) {
      return nullptr;
    }
    const Bytes sorted_bytes(sorted), key_bytes(keys), page_bytes(pages);
    const Room place_room(places), first_room(first);
    const auto wanted = sorted_bytes.as<uint64_t>(), looked_up = key_bytes.as<uint64_t>();
    const auto page_of = page_bytes.as<int64_t>();
    without_python([&] {
      find_lines(wanted, looked_up, page_of, place_room.as<int64_t>(), first_room.as<uint8_t>());
    });
    Py_RETURN_NONE;
  });
}

PyObject *count_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *keys, *lengths, *places;
    if (!PyArg_ParseTuple(arguments, "OOO", &keys, &lengths, &places)) return nullptr;
    const Bytes key_bytes(keys), length_bytes(lengths);
    const Room place_room(places);
    CountedKeys counted;
    without_python([&] {
      counted = count_keys(key_bytes.as<uint64_t>(), length_bytes.as<int64_t>(),
                           place_room.as<int32_t>());
    });
    Owned distinct(bytes_of(counted.keys)), pages(bytes_of(counted.pages));
    return PyTuple_Pack(2, distinct.get(), pages.get());
  });
}

PyObject *count_rows_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *ranks, *rows_of;
    if (!PyArg_ParseTuple(arguments, "OO", &ranks, &rows_of)) return nullptr;
    const Bytes rank_bytes(ranks);
    const Room rows_room(rows_of);
    count_rows(rank_bytes.as<uint32_t>(), rows_room.as<uint8_t>());
    Py_RETURN_NONE;
  });
}

PyObject *fill_rows_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *ranks, *buckets, *at, *out;
    unsigned long long num_near, near, exact, low;
    if (!PyArg_ParseTuple(arguments, "OOKKKKOO", &ranks, &buckets, &num_near, &near, &exact, &low,
                          &at, &out)) {
      return nullptr;
    }
    const Bytes rank_bytes(ranks), bucket_bytes(buckets);
    const Room at_room(at), out_room(out);
    fill_rows(rank_bytes.as<uint32_t>(), bucket_bytes.as<uint32_t>(), {num_near, near, exact},
              low, at_room.as<int64_t>(), out_room.as<uint32_t>());
    Py_RETURN_NONE;
  });
}

PyObject *gather_signatures_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *bands, *is_signed, *ranks, *place_of, *out;
    unsigned long long first_rank;
    if (!PyArg_ParseTuple(arguments, "OOOOKO", &bands, &is_signed, &ranks, &place_of, &first_rank,
                          &out)) {
      return nullptr;
    }
    const Bytes bands_bytes(bands), signed_bytes(is_signed), rank_bytes(ranks);
    const Bytes place_bytes(place_of);
    const Room out_room(out);
    gather_signatures(bands_bytes.as<uint64_t>(), signed_bytes.as<uint8_t>(),
                      rank_bytes.as<uint32_t>(), place_bytes.as<int32_t>(), first_rank,
                      out_room.as<uint64_t>());
    Py_RETURN_NONE;
  });
}

PyObject *decide_greedily_py(PyObject *, PyObject *arguments) {
  return decide_py(arguments, decide_greedily);
}

PyObject *join_components_py(PyObject *, PyObject *arguments) {
  return decide_py(arguments, join_components);
}

PyObject *settle_components_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *signatures, *keeper, *equal;
    if (!PyArg_ParseTuple(arguments, "OOO", &signatures, &keeper, &equal)) return nullptr;
    const Bytes signature_bytes(signatures);
    const Room keeper_room(keeper), equal_room(equal);
    settle_components(signature_bytes.as<uint64_t>(), keeper_room.as<int32_t>(),
                      equal_room.as<uint8_t>());
    Py_RETURN_NONE;
  });
}

}  // namespace skord
