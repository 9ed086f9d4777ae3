// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/check/namespace_damage.h"

#include "delta/view/record/attributes_record.h"
#include "delta/view/record/dentry.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;
using view::RecordClass;
using view::Rule;

constexpr ObjectNumber kNobody = 5000;

// Puts records into a batch; the names are short.
struct Records {
  delta::Batch& batch;

  void put(RecordClass record, ObjectNumber object, std::string value,
           std::string_view rest = {}) const {
    batch.put(view::key_of(record, object, rest), std::move(value));
  }
  void remove(RecordClass record, ObjectNumber object, std::string_view rest = {}) const {
    batch.remove(view::key_of(record, object, rest));
  }
  void put_name(ObjectNumber directory, std::string_view name, ObjectNumber object,
                std::uint32_t type) const {
    put_dentry(directory, name, object, type);
    batch.put(view::name_key(object, directory, name), {});
  }
  void put_dentry(ObjectNumber directory, std::string_view name, ObjectNumber object,
                  std::uint32_t type, bool hides_lower = true) const {
    put(RecordClass::kDentry, directory, view::encode_dentry({object, type, hides_lower}), name);
  }
  void remove_name(ObjectNumber directory, std::string_view name, ObjectNumber object) const {
    remove(RecordClass::kDentry, directory, name);
    batch.remove(view::name_key(object, directory, name));
  }
  // Ends a file of the image that no operation has changed.
  void end_in_image(ObjectNumber directory, std::string_view name) const {
    remove(RecordClass::kDentry, directory, name);
    add(directory, -1, 0);
  }
  void add(ObjectNumber directory, int children, int subdirectories) const {
    add_to(directory, view::field::kChildren, children);
    add_to(directory, view::field::kLinkCount, subdirectories);
  }
  void set(ObjectNumber object, std::uint64_t offset_bytes, std::uint64_t value) const {
    batch.set_field(view::key_of(RecordClass::kAttributes, object), offset_bytes, value);
  }

 private:
  void add_to(ObjectNumber directory, std::uint64_t offset_bytes, int difference) const {
    batch.change_field(view::key_of(RecordClass::kAttributes, directory),
                       {offset_bytes, delta::FieldOperation::kAdd,
                        static_cast<std::uint64_t>(std::int64_t{difference})});
  }
};

Damage damage(const char* name, Rule rule, std::function<void(const Records&, Known&)> make) {
  return {name, rule, [make = std::move(make)](delta::Batch& batch, Known& known) {
            make(Records{batch}, known);
          }};
}

void add_damaged_values(std::vector<Damage>& list) {
  const auto add = [&](const char* name, RecordClass record, const char* of, std::string value,
                       const char* rest) {
    list.push_back(damage(name, Rule::kRecordsAreWhole, [=](const Records& records, Known& known) {
      records.put(record, known[of], value, rest);
    }));
  };
  add("attributes of a file", RecordClass::kAttributes, "n", "short", "");
  add("attributes of a directory", RecordClass::kAttributes, "nd", "short", "");
  add("attributes of the image", RecordClass::kAttributes, "f", std::string(100, '\xff'), "");
  add("attributes of the root", RecordClass::kAttributes, "root", "", "");
  add("a dentry", RecordClass::kDentry, "d", "short", "n");
  add("a dentry to nothing", RecordClass::kDentry, "d", "short", "m");
  add("a name", RecordClass::kName, "n", "", "short");
  add("a parent", RecordClass::kParent, "nd", "short", "");
  add("attributes of a new number", RecordClass::kAttributes, "nobody", "short", "");
  add("the reserved end", RecordClass::kReserved, "none", "short", "");
  add("a target", RecordClass::kTarget, "ns", "", "");
}

void add_ended_root(std::vector<Damage>& list) {
  list.push_back(damage(
      "an ended root", Rule::kRecordsAreWhole,
      [](const Records& records, Known&) { records.remove(RecordClass::kAttributes, kRoot); }));
}

void add_stray_records(std::vector<Damage>& list) {
  const auto add = [&](const char* name, RecordClass record, const char* of, std::string value,
                       const char* rest) {
    list.push_back(
        damage(name, Rule::kRecordsHaveAnObject, [=](const Records& records, Known& known) {
          records.put(record, known[of], value, rest);
        }));
  };
  const auto dentry = view::encode_dentry({2, format::kTypeRegular, false});
  add("an attribute of nobody", RecordClass::kXattr, "nobody", "value", "user.a");
  add("a target of nobody", RecordClass::kTarget, "nobody", "x", "");
  add("a target of a file", RecordClass::kTarget, "n", "x", "");
  add("a parent of nobody", RecordClass::kParent, "nobody", view::number_value(1), "");
  add("a parent of a file", RecordClass::kParent, "n", view::number_value(1), "");
  add("a dentry in nobody", RecordClass::kDentry, "nobody", dentry, "x");
  add("a dentry in a file", RecordClass::kDentry, "n", dentry, "x");
  add("a name of nobody", RecordClass::kName, "nobody", "", "12345678x");
  add("a mark of nobody", RecordClass::kOrphan, "nobody", "", "");
  add("a further end", RecordClass::kReserved, "n", view::number_value(1), "");
  list.push_back(damage("a mark of an ended object of the image", Rule::kRecordsHaveAnObject,
                        [](const Records& records, Known& known) {
                          records.end_in_image(known["d"], "g");
                          records.put(RecordClass::kOrphan, known["g"], "");
                        }));
  list.push_back(damage("an attribute of an ended object of the image", Rule::kRecordsHaveAnObject,
                        [](const Records& records, Known& known) {
                          records.end_in_image(known["d"], "g");
                          records.put(RecordClass::kXattr, known["g"], "value", "user.a");
                        }));
  list.push_back(
      damage("attributes of nobody", Rule::kRecordsHaveAnObject,
             [](const Records& records, Known&) { records.set(0, view::field::kLinkCount, 1); }));
}

void add_names(std::vector<Damage>& list) {
  const auto add = [&](const char* name, Rule rule, auto make) {
    list.push_back(damage(name, rule, make));
  };
  add("a name that does not tell what it hides", Rule::kNamesTellWhatTheyHide,
      [](const Records& records, Known& known) {
        records.put_dentry(known["d"], "g", known["g"], format::kTypeRegular, false);
        records.batch.put(view::name_key(known["g"], known["d"], "g"), {});
      });
  add("a name that went without a whiteout", Rule::kNamesTellWhatTheyHide,
      [](const Records& records, Known& known) {
        records.batch.erase(view::key_of(RecordClass::kDentry, known["d"], "g"));
        records.add(known["d"], -1, 0);
      });
  add("too low an end", Rule::kNumbersAreReserved, [](const Records& records, Known&) {
    records.put(RecordClass::kReserved, 0, view::number_value(1));
  });
  add("a name of nobody's", Rule::kNamesLeadToAnObject, [](const Records& records, Known& known) {
    records.put_dentry(known["d"], "x", kNobody, format::kTypeRegular);
    records.add(known["d"], 1, 0);
  });
  add("an ended object of the image", Rule::kNamesLeadToAnObject,
      [](const Records& records, Known& known) {
        records.remove(RecordClass::kAttributes, known["f"]);
      });
  add("an ended directory of the image", Rule::kNamesLeadToAnObject,
      [](const Records& records, Known& known) {
        records.remove(RecordClass::kAttributes, known["u"]);
      });
  add("another type", Rule::kNamesHaveTheType, [](const Records& records, Known& known) {
    records.put_dentry(known["d"], "n", known["n"], format::kTypeDirectory);
  });
  add("no record of a name", Rule::kNamesAreRecorded, [](const Records& records, Known& known) {
    records.batch.remove(view::name_key(known["n"], known["d"], "n"));
  });
  add("a record of no name", Rule::kRecordedNamesLeadBack,
      [](const Records& records, Known& known) {
        records.batch.put(view::name_key(known["n"], known["d"], "x"), {});
      });
  add("a record of another's name", Rule::kRecordedNamesLeadBack,
      [](const Records& records, Known& known) {
        records.batch.put(view::name_key(known["n"], known["d"], "m"), {});
      });
  add("a record of an image's name", Rule::kRecordedNamesLeadBack,
      [](const Records& records, Known& known) {
        records.batch.put(view::name_key(known["f"], known["d"], "f"), {});
      });
}

void add_directories(std::vector<Damage>& list) {
  const auto add = [&](const char* name, Rule rule, auto make) {
    list.push_back(damage(name, rule, make));
  };
  add("a directory with two names", Rule::kDirectoriesHaveOneName,
      [](const Records& records, Known& known) {
        records.put_name(known["e"], "again", known["nd"], format::kTypeDirectory);
        records.add(known["e"], 1, 1);
      });
  add("a directory of the image with two", Rule::kDirectoriesHaveOneName,
      [](const Records& records, Known& known) {
        records.put_name(known["e"], "again", known["u"], format::kTypeDirectory);
        records.add(known["e"], 1, 1);
      });
  add("a root with a name", Rule::kDirectoriesHaveOneName,
      [](const Records& records, Known& known) {
        records.put_name(known["e"], "again", kRoot, format::kTypeDirectory);
        records.add(known["e"], 1, 1);
      });
  add("another parent", Rule::kParentsAgree, [](const Records& records, Known& known) {
    records.put(RecordClass::kParent, known["nd"], view::number_value(known["e"]));
  });
  add("no parent", Rule::kParentsAgree, [](const Records& records, Known& known) {
    records.remove(RecordClass::kParent, known["nd"]);
  });
  add("a circle", Rule::kParentsEndAtTheRoot, [](const Records& records, Known& known) {
    records.remove_name(kRoot, "nd", known["nd"]);
    records.put_name(known["deep"], "nd", known["nd"], format::kTypeDirectory);
    records.put(RecordClass::kParent, known["nd"], view::number_value(known["deep"]));
    records.add(kRoot, -1, -1);
    records.add(known["deep"], 1, 1);
  });
  add("a lost directory of the image", Rule::kObjectsHaveANameOrAreMarked,
      [](const Records& records, Known&) {
        records.remove(RecordClass::kDentry, kRoot, "u");
        records.add(kRoot, -1, -1);
      });
  add("a lost directory of the image that has ended", Rule::kObjectsHaveANameOrAreMarked,
      [](const Records& records, Known& known) {
        records.remove(RecordClass::kDentry, kRoot, "u");
        records.remove(RecordClass::kAttributes, known["u"]);
        records.add(kRoot, -1, -1);
      });
  add("a lost directory", Rule::kObjectsHaveANameOrAreMarked,
      [](const Records& records, Known& known) {
        records.remove_name(kRoot, "nd", known["nd"]);
        records.add(kRoot, -1, -1);
      });
  add("a directory that is to end and has names", Rule::kObjectsHaveANameOrAreMarked,
      [](const Records& records, Known& known) {
        records.remove_name(kRoot, "nd", known["nd"]);
        records.add(kRoot, -1, -1);
        records.put(RecordClass::kOrphan, known["nd"], "");
        records.set(known["nd"], view::field::kLinkCount, 0);
      });
}

void add_objects(std::vector<Damage>& list) {
  const auto add = [&](const char* name, Rule rule, auto make) {
    list.push_back(damage(name, rule, make));
  };
  add("links of a file", Rule::kLinksAreCounted, [](const Records& records, Known& known) {
    records.set(known["n"], view::field::kLinkCount, 9);
  });
  add("links of a directory", Rule::kLinksAreCounted, [](const Records& records, Known& known) {
    records.set(known["e"], view::field::kLinkCount, 9);
  });
  add("links of an untouched file", Rule::kLinksAreCounted,
      [](const Records& records, Known& known) {
        records.set(known["x"], view::field::kLinkCount, 0);
      });
  add("links of a hard link", Rule::kLinksAreCounted, [](const Records& records, Known& known) {
    records.set(known["h"], view::field::kLinkCount, 9);
  });
  add("names of a directory", Rule::kChildrenAreCounted, [](const Records& records, Known& known) {
    records.set(known["e"], view::field::kChildren, 9);
  });
  add("a lost file", Rule::kObjectsHaveANameOrAreMarked, [](const Records& records, Known& known) {
    records.remove_name(known["d"], "m", known["m"]);
    records.add(known["d"], -1, 0);
  });
  add("a lost mark", Rule::kObjectsHaveANameOrAreMarked, [](const Records& records, Known& known) {
    records.remove(RecordClass::kOrphan, known["o"]);
  });
  add("first attributes of an ended object of the image, without a mark",
      Rule::kObjectsHaveANameOrAreMarked, [](const Records& records, Known& known) {
        records.end_in_image(known["d"], "g");
        records.batch.patch(view::key_of(RecordClass::kAttributes, known["g"]), view::field::kMode,
                            view::number_bytes(std::uint32_t{format::kTypeRegular | 0600}));
      });
  add("links of an object that is to end", Rule::kLinksAreCounted,
      [](const Records& records, Known& known) {
        records.set(known["o"], view::field::kLinkCount, 1);
      });
  add("a mark of a file", Rule::kMarkedObjectsHaveNoName, [](const Records& records, Known& known) {
    records.put(RecordClass::kOrphan, known["n"], "");
  });
  add("a mark of an untouched file", Rule::kMarkedObjectsHaveNoName,
      [](const Records& records, Known& known) {
        records.put(RecordClass::kOrphan, known["x"], "");
      });
  add("no target", Rule::kSymlinksHaveATarget, [](const Records& records, Known& known) {
    records.remove(RecordClass::kTarget, known["ns"]);
  });
  add("hidden attributes", Rule::kXattrsAreShown, [](const Records& records, Known& known) {
    records.batch.patch(view::key_of(RecordClass::kAttributes, known["n"]), view::field::kFlags,
                        view::number_bytes(0));
  });
}

}  // namespace

void add_image_part(PackedTree& tree, bool has_link) {
  tree.directory("d");
  tree.file("d/f", "of the image");
  tree.file("d/g", "likewise");
  tree.directory("d/sub");
  tree.file("d/sub/x", "deep");
  tree.file("h", "linked");
  if (has_link) tree.link("h", "d/h");
  tree.directory("e");
  tree.directory("u");
  tree.file("u/v", "untouched");
}

Known make_known_tree(ViewedTree& viewed, bool seals) {
  Known known{{"root", kRoot}, {"nobody", kNobody}, {"none", 0}};
  const auto look = [&](const char* name, ObjectNumber directory) {
    return value_of(viewed.view().lookup(directory, name)).object;
  };
  for (const char* name : {"d", "e", "u", "h"}) known[name] = look(name, kRoot);
  known["f"] = look("f", known["d"]);
  known["g"] = look("g", known["d"]);
  known["sub"] = look("sub", known["d"]);
  known["x"] = look("x", known["sub"]);
  auto& first = viewed.view();
  known["n"] = value_of(first.create(known["d"], "n", {}, {})).object;
  known["m"] = value_of(first.create(known["d"], "m", {}, {})).object;
  known["nd"] = value_of(first.make_directory(kRoot, "nd", 0755, {})).object;
  known["ns"] = value_of(first.make_symlink(kRoot, "ns", "d/n", {})).object;
  value_of(first.link(known["n"], known["e"], "n2"));
  if (seals) viewed.seal();
  auto& view = viewed.view();
  known["deep"] = value_of(view.make_directory(known["nd"], "deep", 0755, {})).object;
  value_of(view.rename(known["d"], "sub", known["e"], "moved"));
  value_of(view.set_attributes(known["f"], {0600, {}, {}, {}, {}}));
  value_of(view.set_attributes(known["h"], {0600, {}, {}, {}, {}}));
  expect_ok(view.set_xattr(known["n"], "user.a", as_bytes(std::string_view("value"))));
  known["o"] = value_of(view.create(known["d"], "o", {}, {})).object;
  value_of(view.unlink(known["d"], "o"));
  return known;
}

const std::vector<Damage>& damages() {
  static const std::vector<Damage> list = [] {
    std::vector<Damage> made;
    add_damaged_values(made);
    add_ended_root(made);
    add_stray_records(made);
    add_names(made);
    add_directories(made);
    add_objects(made);
    return made;
  }();
  return list;
}

}  // namespace dgfs::test
